/** Compares a page as it was sent with the same page as rendered. */
import type { JSX } from 'preact';
import type { PageRenderingDto, PageViewDto } from '../../api/schema.js';
import { formatCount, formatPlural, formatSeconds } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { Reason } from '../../ui/reasons.js';

const MAX_PARTS_SHOWN = 300;

interface RenderedProps {
  readonly view: PageViewDto;
  readonly rendering: PageRenderingDto;
}

export const RenderingPanel = ({ view, rendering }: RenderedProps): JSX.Element => (
  <Panel title="As sent and as rendered" aside={<Cost rendering={rendering} />}>
    {rendering.failure ? (
      <div class="notice warn">
        <p>
          <Reason code={rendering.failure.code} /> {rendering.failure.detail}
        </p>
        <p>The page below is shown as the server sent it.</p>
      </div>
    ) : rendering.comparison ? (
      <div class="compared">
        <div class="stack">
          <Figures view={view} comparison={rendering.comparison} />
          <Changes comparison={rendering.comparison} />
        </div>
        {rendering.picture && (
          <figure>
            <img src={`data:image/jpeg;base64,${rendering.picture}`} alt={`${view.url}, rendered`} />
            <figcaption>Rendered without images, which are not fetched.</figcaption>
          </figure>
        )}
      </div>
    ) : (
      <p>The page's scripts redirect to another address, which is shown below.</p>
    )}
  </Panel>
);

const Cost = ({ rendering }: { readonly rendering: PageRenderingDto }): JSX.Element => {
  const refusals = Object.entries(rendering.refused).map(([reason, count]) => `${count} ${reason}`);
  return (
    <span>
      {formatSeconds(rendering.seconds)}, {formatPlural(rendering.requests, 'request')}
      {refusals.length > 0 && `, blocked: ${refusals.join(', ')}`}
      {rendering.readiness === 'time limit' && ', captured when the time limit was reached'}
    </span>
  );
};

type Comparison = NonNullable<PageRenderingDto['comparison']>;

const Figures = ({
  view,
  comparison,
}: {
  readonly view: PageViewDto;
  readonly comparison: Comparison;
}): JSX.Element => {
  const addedLinkCount = view.links.filter(({ onlyRendered }) => onlyRendered).length;
  return (
    <table>
      <caption class="visually-hidden">The page as it was sent and as rendered</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">As sent</th>
          <th scope="col">Rendered</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">Title</th>
          <td>{comparison.sent.title || <em>none</em>}</td>
          <td>{view.title || <em>none</em>}</td>
        </tr>
        <tr>
          <th scope="row">Text</th>
          <td>{formatPlural(comparison.sent.textLength, 'character')}</td>
          <td>{formatPlural(view.reading?.textLength ?? 0, 'character')}</td>
        </tr>
        <tr>
          <th scope="row">Links</th>
          <td>{formatCount(comparison.sent.links)}</td>
          <td>
            {formatCount(view.links.length)}, {formatCount(addedLinkCount)} of them created by scripts
          </td>
        </tr>
      </tbody>
    </table>
  );
};

const Changes = ({ comparison: { added, lost, lostLinks } }: { readonly comparison: Comparison }): JSX.Element => (
  <>
    {added.length === 0 && lost.length === 0 && <p class="notice good">The text is the same.</p>}
    {added.length > 0 && (
      <details open>
        <summary>Text added by rendering</summary>
        {added.slice(0, MAX_PARTS_SHOWN).map((part, index) => (
          <p key={index}>
            <ins>{part}</ins>
          </p>
        ))}
        {added.length > MAX_PARTS_SHOWN && <p class="muted">and {formatCount(added.length - MAX_PARTS_SHOWN)} more</p>}
      </details>
    )}
    {lost.length > 0 && (
      <details>
        <summary>Text missing after rendering</summary>
        {lost.slice(0, MAX_PARTS_SHOWN).map((part, index) => (
          <p key={index}>
            <del>{part}</del>
          </p>
        ))}
      </details>
    )}
    {lostLinks.length > 0 && (
      <details>
        <summary>{formatPlural(lostLinks.length, 'link')} missing after rendering</summary>
        {lostLinks.map((url) => (
          <p key={url} class="url">
            {url}
          </p>
        ))}
      </details>
    )}
  </>
);
