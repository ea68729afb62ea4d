/** Shows what is extracted from a page: its text and the parts cut out of it, metas and fields, and chunks. */
import type { JSX } from 'preact';
import type { PageReadingDto } from '../../api/schema.js';
import { formatPlural } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { Table } from '../../ui/table.js';

const MAX_TEXT_LENGTH = 20_000;
const MAX_CHUNKS_SHOWN = 100;
const MAX_PARTS_SHOWN = 100;

export const PageReading = ({ reading }: { readonly reading: PageReadingDto }): JSX.Element => (
  <Panel title="What is extracted" aside={<span>{formatPlural(reading.textLength, 'character')} of text</span>}>
    <div class="stack">
      <Metas metas={reading.metas} />
      <details open>
        <summary>Text{reading.look && ', with excluded text struck through'}</summary>
        {reading.look ? (
          <MarkedText look={reading.look} />
        ) : (
          <p>{reading.text.slice(0, MAX_TEXT_LENGTH) || <em>No text.</em>}</p>
        )}
      </details>
      {!reading.look && reading.cut.length > 0 && (
        <details>
          <summary>{formatPlural(reading.cut.length, 'part')} cut out</summary>
          {reading.cut.map((text) => (
            <p key={text}>
              <del>{text}</del>
            </p>
          ))}
        </details>
      )}
      {reading.markdown !== undefined && (
        <details>
          <summary>Markdown</summary>
          <pre>{reading.markdown.slice(0, MAX_TEXT_LENGTH)}</pre>
        </details>
      )}
      {reading.parts && <Parts parts={reading.parts} />}
      {reading.chunks && (
        <details>
          <summary>{formatPlural(reading.chunks.length, 'chunk')}</summary>
          <ol>
            {reading.chunks.slice(0, MAX_CHUNKS_SHOWN).map(({ text, path, start }) => (
              <li key={start}>
                <strong>{path.join(' › ')}</strong> {text}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  </Panel>
);

/** Shows the whole text of the page, with the parts that were cut out struck through. */
function MarkedText({ look: { marked } }: { readonly look: NonNullable<PageReadingDto['look']> }): JSX.Element {
  let remainingLength = MAX_TEXT_LENGTH;
  return (
    <p class="marked">
      {marked.map(({ text, cut }, i) => {
        if (remainingLength <= 0) return null;
        const shownText = text.slice(0, remainingLength);
        remainingLength -= text.length;
        return cut ? <del key={i}>{shownText}</del> : shownText;
      })}
      {remainingLength <= 0 && ' …'}
    </p>
  );
}

const Parts = ({ parts }: { readonly parts: NonNullable<PageReadingDto['parts']> }): JSX.Element => (
  <details>
    <summary>{formatPlural(parts.length, 'document')} split off</summary>
    {parts.slice(0, MAX_PARTS_SHOWN).map(({ uri, metas, text }) => (
      <details key={uri}>
        <summary>{uri}</summary>
        <Metas metas={metas} />
        <p>{text || <em>No text.</em>}</p>
      </details>
    ))}
  </details>
);

const Metas = ({ metas }: Pick<PageReadingDto, 'metas'>): JSX.Element => (
  <Table name="Metas and fields" headers={['Meta', 'Value']}>
    {metas.map(({ name, value }) => (
      <tr key={`${name} ${value}`}>
        <th scope="row">{name}</th>
        <td>{value}</td>
      </tr>
    ))}
  </Table>
);
