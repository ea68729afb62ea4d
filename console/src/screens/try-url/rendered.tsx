/** Shows a page as it was sent beside the page as rendered. */
import type { JSX } from 'preact';
import type { PageRenderingDto, PageViewDto } from '../../api/schema.js';
import { formatCount, formatPlural, formatSeconds } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { Reason } from '../../ui/reasons.js';

const PARTS_SHOWN = 300;

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
        <p>The page below is shown as it was sent.</p>
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
      <p>The page's scripts redirect the visitor; the address is below.</p>
    )}
  </Panel>
);

const Cost = ({ rendering }: { readonly rendering: PageRenderingDto }): JSX.Element => {
  const refused = Object.entries(rendering.refused).map(([reason, number]) => `${number} ${reason}`);
  return (
    <span>
      {formatSeconds(rendering.seconds)}, {formatPlural(rendering.requests, 'request')}
      {refused.length > 0 && `, not made: ${refused.join(', ')}`}
      {rendering.readiness === 'time limit' && ', read when its time limit was reached'}
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
  const found = view.links.filter(({ onlyRendered }) => onlyRendered).length;
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
            {formatCount(view.links.length)}, {formatCount(found)} of them created by scripts
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
        <summary>Text that only rendering adds</summary>
        {added.slice(0, PARTS_SHOWN).map((part, index) => (
          <p key={index}>
            <ins>{part}</ins>
          </p>
        ))}
        {added.length > PARTS_SHOWN && (
          <p class="muted">And {formatCount(added.length - PARTS_SHOWN)} more sentences.</p>
        )}
      </details>
    )}
    {lost.length > 0 && (
      <details>
        <summary>Text that is gone when rendered</summary>
        {lost.slice(0, PARTS_SHOWN).map((part, index) => (
          <p key={index}>
            <del>{part}</del>
          </p>
        ))}
      </details>
    )}
    {lostLinks.length > 0 && (
      <details>
        <summary>{formatPlural(lostLinks.length, 'link')} gone when rendered</summary>
        {lostLinks.map((url) => (
          <p key={url} class="url">
            {url}
          </p>
        ))}
      </details>
    )}
  </>
);
