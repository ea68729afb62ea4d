/**
 * Forms for everything that the configuration can contain, generated from the table behind the schema and the
 * reference.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { ResourceView } from '../../ui/answers.js';
import { Panel } from '../../ui/panel.js';
import { ApplyDialog } from './apply-dialog.js';
import { CheckSummary } from './checking.js';
import { AddElement, type Editing, ElementForm } from './element-form.js';
import { useFormCheck } from './form-check.js';
import { type LoadedForms, loadForms } from './load.js';
import { useUnsaved } from './unsaved.js';
import { copyElement, getAttributeValue, readXml, removeElement, type XmlElement } from './xml-tree.js';

export function Forms(): JSX.Element {
  const forms = useResource('configuration forms', loadForms);
  return (
    <ResourceView of={forms}>
      {(loaded) => <FormsEditor key={loaded.etag} loaded={loaded} onApplied={forms.reload} />}
    </ResourceView>
  );
}

function FormsEditor({ loaded, onApplied }: { loaded: LoadedForms; onApplied: () => void }): JSX.Element {
  const mayChange = useHasRole('admin');
  // Shares the unsaved text with the XML view: what is typed in one appears in the other.
  const { text: xml, changed, etag, type, discard, forget } = useUnsaved('xml', loaded.xml, loaded.etag);
  const { checked, problems } = useFormCheck(xml, loaded.file);
  const [applying, setApplying] = useState(false);
  const root = readXml(xml);
  if (!root) return <p class="notice bad">The configuration has no element. Write it in the XML view.</p>;
  const elements = new Map(loaded.elements.map((one) => [one.name, one]));
  const editing: Editing = { xml, root, elements, mayChange, problems, change: type };
  return (
    <>
      <div class="actions end sticky">
        <CheckSummary checked={checked} />
        {mayChange ? (
          <>
            {changed && (
              <button type="button" class="button" onClick={discard}>
                Discard
              </button>
            )}
            <button
              type="button"
              class="button primary"
              disabled={!changed || checked.errors > 0}
              onClick={() => setApplying(true)}
            >
              Preview and save…
            </button>
          </>
        ) : (
          'read-only: changing it requires the role admin'
        )}
      </div>
      <CrawlerForms editing={editing} />
      <SharedSettings editing={editing} />
      {applying && (
        <ApplyDialog
          title="What this change would do"
          draft={{ xml }}
          etag={etag}
          onApplied={() => {
            setApplying(false);
            forget();
            onApplied();
          }}
          onClose={() => setApplying(false)}
        />
      )}
    </>
  );
}

const findCrawlers = ({ children }: XmlElement): XmlElement[] => children.filter(({ name }) => name === 'Crawler');

/** Shows the selected crawler in full, and those that are not in force yet. */
function CrawlerForms({ editing }: { editing: Editing }): JSX.Element {
  const { root, xml, mayChange, change } = editing;
  const chosen = useCrawler()?.name;
  const all = findCrawlers(root);
  const names = all.map((element) => getAttributeValue(element, 'name') ?? '');
  const [copied, setCopied] = useState<readonly string[]>([]);
  const shown = all.filter((_, i) => names[i] === chosen || copied.includes(names[i]!) || all.length === 1);
  const copyCrawler = (element: XmlElement): void => {
    const name = findUnusedName(getAttributeValue(element, 'name') ?? 'crawler', names);
    setCopied([...copied, name]);
    change(copyElement(xml, element, name));
  };
  return (
    <>
      {shown.map((element) => (
        <Panel
          key={all.indexOf(element)}
          title={`Crawler ${getAttributeValue(element, 'name') ?? ''}`}
          aside={
            mayChange && (
              <>
                <button type="button" class="button small" onClick={() => copyCrawler(element)}>
                  Copy
                </button>
                <button type="button" class="button small danger" onClick={() => change(removeElement(xml, element))}>
                  Remove
                </button>
                <a class="button small" href={href('/start')}>
                  New crawler…
                </a>
              </>
            )
          }
        >
          <div class="stack">
            <ElementForm element={element} editing={editing} hidden={['Rules']} />
            <p class="muted">
              Crawl rules have <a href={href('/configuration')}>a view of their own</a>. Stored URLs are tied to the
              crawler's name: if you rename the crawler, the crawl starts over, and everything indexed under the old
              name is removed from the index.
            </p>
          </div>
        </Panel>
      ))}
    </>
  );
}

/** Settings that all crawlers share. */
function SharedSettings({ editing }: { editing: Editing }): JSX.Element {
  const { root } = editing;
  return (
    <Panel title="Shared by all crawlers">
      <div class="stack">
        {root.children
          .filter(({ name }) => name !== 'Crawler')
          .map((element, i) => (
            <ElementForm key={`${element.name} ${i}`} element={element} editing={editing} folded />
          ))}
        <AddElement parent={root} editing={editing} hidden={['Crawler']} />
      </div>
    </Panel>
  );
}

function findUnusedName(name: string, taken: readonly string[]): string {
  for (let number = 2; ; number++) if (!taken.includes(`${name}-${number}`)) return `${name}-${number}`;
}
