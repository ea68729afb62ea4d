/**
 * Forms for everything that the configuration can contain, generated from the table behind the schema and the
 * reference.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { useHasRole, useSession } from '../../state/session.js';
import { ResourceView } from '../../ui/answers.js';
import { Panel } from '../../ui/panel.js';
import { ApplyDialog } from './apply-dialog.js';
import { CheckSummary } from './checking.js';
import { AddElement, type EditorContext, ElementForm } from './element-form.js';
import { useFormCheck } from './form-check.js';
import { type LoadedForms, loadForms } from './load.js';
import { useUnsavedText } from './unsaved.js';
import { copyElement, getAttributeValue, parseXml, removeElement, type XmlElement } from './xml-tree.js';

export function Forms(): JSX.Element {
  const forms = useResource('configuration forms', loadForms);
  return (
    <ResourceView resource={forms}>
      {(configuration) => (
        <FormsEditor key={configuration.etag} configuration={configuration} onApplied={forms.reload} />
      )}
    </ResourceView>
  );
}

function FormsEditor({ configuration, onApplied }: { configuration: LoadedForms; onApplied: () => void }): JSX.Element {
  const mayChange = useHasRole('admin');
  // The unsaved text is shared with the XML view: what is typed in one appears in the other.
  const {
    text: xml,
    changed,
    etag,
    updateText,
    discard,
    markSaved,
  } = useUnsavedText('xml', configuration.xml, configuration.etag);
  const { problemCounts, problems } = useFormCheck(xml, configuration.file);
  const [applying, setApplying] = useState(false);
  const root = parseXml(xml);
  if (!root) return <p class="notice bad">The configuration contains no elements. Write it in the XML view.</p>;
  const elements = new Map(configuration.elements.map((form) => [form.name, form]));
  const editor: EditorContext = { xml, root, elements, mayChange, problems, change: updateText };
  return (
    <>
      <div class="actions end sticky">
        <CheckSummary problemCounts={problemCounts} />
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
              disabled={!changed || problemCounts.errors > 0}
              onClick={() => setApplying(true)}
            >
              Preview and save…
            </button>
          </>
        ) : (
          'read-only: changes require the role admin'
        )}
      </div>
      <CrawlerForms editor={editor} />
      <SharedSettings editor={editor} />
      {applying && (
        <ApplyDialog
          title="What this change would do"
          draft={{ xml }}
          etag={etag}
          onApplied={() => {
            setApplying(false);
            markSaved();
            onApplied();
          }}
          onClose={() => setApplying(false)}
        />
      )}
    </>
  );
}

const findCrawlers = ({ children }: XmlElement): XmlElement[] => children.filter(({ name }) => name === 'Crawler');

/** Shows the selected crawler, and copies of crawlers that are not saved yet. */
function CrawlerForms({ editor }: { editor: EditorContext }): JSX.Element {
  const { root, xml, mayChange, change } = editor;
  const isLimited = useSession().crawlers !== undefined;
  const chosenName = useCrawler()?.name;
  const crawlers = findCrawlers(root);
  const names = crawlers.map((element) => getAttributeValue(element, 'name') ?? '');
  const [copiedNames, setCopiedNames] = useState<readonly string[]>([]);
  const shownCrawlers = crawlers.filter(
    (_, i) => names[i] === chosenName || copiedNames.includes(names[i]!) || crawlers.length === 1,
  );
  const copyCrawler = (element: XmlElement): void => {
    const name = findUnusedName(getAttributeValue(element, 'name') ?? 'crawler', names);
    setCopiedNames([...copiedNames, name]);
    change(copyElement(xml, element, name));
  };
  return (
    <>
      {shownCrawlers.map((element) => (
        <Panel
          key={crawlers.indexOf(element)}
          title={`Crawler ${getAttributeValue(element, 'name') ?? ''}`}
          aside={
            mayChange &&
            !isLimited && (
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
            <ElementForm element={element} editor={editor} hiddenNames={['Rules']} />
            <p class="muted">
              Crawl rules have <a href={href('/configuration')}>a view of their own</a>. Stored URLs are tied to the
              crawler's name: if you rename or remove the crawler, you are asked what becomes of its documents, and they
              stay in the index until then.
            </p>
          </div>
        </Panel>
      ))}
    </>
  );
}

/** Settings that all crawlers share. */
function SharedSettings({ editor }: { editor: EditorContext }): JSX.Element | null {
  const { root } = editor;
  const isLimited = useSession().crawlers !== undefined;
  const shared = root.children.filter(({ name }) => name !== 'Crawler');
  if (isLimited && shared.length === 0) return null;
  return (
    <Panel title={isLimited ? 'Sinks that only your crawlers use' : 'Shared by all crawlers'}>
      <div class="stack">
        {shared.map((element, i) => (
          <ElementForm key={`${element.name} ${i}`} element={element} editor={editor} folded />
        ))}
        {!isLimited && <AddElement parent={root} editor={editor} hiddenNames={['Crawler']} />}
      </div>
    </Panel>
  );
}

function findUnusedName(name: string, takenNames: readonly string[]): string {
  for (let suffix = 2; ; suffix++) if (!takenNames.includes(`${name}-${suffix}`)) return `${name}-${suffix}`;
}
