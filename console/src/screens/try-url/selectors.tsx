/** Edits the selectors for the content of a page, and tries them on the page itself before they are saved. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useResource } from '../../state/resource.js';
import { useHasRole } from '../../state/session.js';
import { Failure, LoadingNotice, ResourceView } from '../../ui/answers.js';
import { Panel } from '../../ui/panel.js';
import { Reason } from '../../ui/reasons.js';
import { Time } from '../../ui/time.js';
import { ApplyDialog } from '../configuration/apply-dialog.js';
import { ElementForm } from '../configuration/element-form.js';
import { type LoadedForms, loadForms } from '../configuration/load.js';
import { joinPart } from '../configuration/part.js';
import { findElementAt, getAttributeValue, parseXml, setAttribute } from '../configuration/xml-tree.js';
import { FieldRows, SelectorRows } from './content-rows.js';
import {
  blankUnfinishedElements,
  type ContentPart,
  listContentParts,
  removeUnfinishedElements,
} from './content-text.js';
import { PageReading } from './reading.js';
import { type TrialState, useTrial } from './trying.js';

interface PageProps {
  readonly crawler: string;
  readonly url: string;
}

export function Selectors(page: PageProps): JSX.Element {
  const forms = useResource(`selectors ${page.crawler}`, loadForms);
  return (
    <ResourceView resource={forms}>
      {(configuration) => <ContentSelection {...page} configuration={configuration} onApplied={forms.reload} />}
    </ResourceView>
  );
}

interface LoadedProps extends PageProps {
  readonly configuration: LoadedForms;
  readonly onApplied: () => void;
}

function ContentSelection(props: LoadedProps): JSX.Element {
  const parts = listContentParts(props.configuration.xml, props.crawler);
  const [name, setName] = useState('');
  const part = parts.find((candidate) => candidate.name === name) ?? parts[0]!;
  const key = `${props.configuration.etag} ${part.name}`;
  return <Trial key={key} {...props} part={part} names={parts.map((candidate) => candidate.name)} choose={setName} />;
}

interface TrialProps extends LoadedProps {
  readonly part: ContentPart;
  readonly names: readonly string[];
  readonly choose: (name: string) => void;
}

const ELEMENTS_WITH_ROWS = ['Include', 'Exclude', 'Field'];

function Trial({ crawler, url, configuration, part, names, choose, onApplied }: TrialProps): JSX.Element {
  const mayChange = useHasRole('admin');
  const [text, setText] = useState(part.text);
  const [render, setRender] = useState(false);
  const [applying, setApplying] = useState(false);
  const trial = useTrial({ crawler, url, render }, blankUnfinishedElements(text));
  const root = parseXml(text);
  if (!root) return <p class="notice bad">The Content element is not valid XML. Edit it in the XML view.</p>;
  const { response, problems } = trial;
  const rowProps = { text, root, problems, reading: response?.reading, change: setText };
  const elements = new Map(configuration.elements.map((form) => [form.name, form]));
  const otherProblems = problems.filter(
    ({ line, column }) => !ELEMENTS_WITH_ROWS.includes(findElementAt(root, text, line, column)?.name ?? ''),
  );
  const changed = removeUnfinishedElements(text) !== part.text;
  return (
    <>
      <Panel
        title="What to extract from this page"
        aside={
          <>
            <FetchStatus trial={trial} />
            {mayChange && (
              <button
                type="button"
                class="button primary"
                disabled={!changed || trial.pending || problems.some(({ severity }) => severity === 'error')}
                onClick={() => setApplying(true)}
              >
                Add to the configuration…
              </button>
            )}
          </>
        }
      >
        <div class="stack">
          <ContentChoice names={names} part={part} appliedName={response?.content} choose={choose} />
          <div class="compared">
            <SelectorRows {...rowProps} kind="Include" />
            <SelectorRows {...rowProps} kind="Exclude" />
          </div>
          <div class="row">
            <label class="check">
              <input
                type="checkbox"
                checked={getAttributeValue(root, 'main') === 'true'}
                onChange={({ currentTarget: { checked } }) =>
                  setText(setAttribute(text, root, 'main', checked ? 'true' : undefined))
                }
              />{' '}
              only the main content, without navigation, header and footer
            </label>
            <label class="check">
              <input
                type="checkbox"
                checked={render}
                onChange={({ currentTarget: { checked } }) => setRender(checked)}
              />{' '}
              run the scripts of the page first
            </label>
          </div>
          <FieldRows {...rowProps} />
          {otherProblems.map(({ message, severity }) => (
            <p key={message} class={`notice ${severity === 'error' ? 'bad' : 'warn'}`}>
              {message}
            </p>
          ))}
          <details>
            <summary>Markdown, chunks, parts and all other settings</summary>
            <ElementForm
              element={root}
              editor={{ xml: text, root, elements, mayChange: true, problems, change: setText }}
              hiddenNames={ELEMENTS_WITH_ROWS}
            />
          </details>
          <details>
            <summary>As XML</summary>
            <pre>{removeUnfinishedElements(text)}</pre>
          </details>
        </div>
      </Panel>
      <TrialResult trial={trial} />
      {applying && (
        <ApplyDialog
          title="What this change would do"
          draft={{ xml: joinPart(part, removeUnfinishedElements(text)) }}
          etag={configuration.etag}
          onApplied={() => {
            setApplying(false);
            onApplied();
          }}
          onClose={() => setApplying(false)}
        />
      )}
    </>
  );
}

const FetchStatus = ({ trial: { response, pending, fetchAgain } }: { readonly trial: TrialState }): JSX.Element => (
  <>
    <span role="status">
      {pending
        ? 'Reading…'
        : response?.fetchedAt && (
            <>
              fetched <Time at={response.fetchedAt} relative />
            </>
          )}
    </span>
    <button type="button" class="button" onClick={fetchAgain}>
      Fetch it again
    </button>
  </>
);

interface ContentChoiceProps {
  readonly names: readonly string[];
  readonly part: ContentPart;
  readonly appliedName: string | undefined;
  readonly choose: (name: string) => void;
}

const formatContentLabel = (name: string): string => (name === '' ? 'all pages' : `pages with content="${name}"`);

function ContentChoice({ names, part, appliedName, choose }: ContentChoiceProps): JSX.Element {
  const id = useId();
  return (
    <div class="row">
      <label for={id}>For</label>
      <select id={id} value={part.name} onChange={({ currentTarget: { value } }) => choose(value)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {formatContentLabel(name)}
          </option>
        ))}
      </select>
      {part.isNew && <span class="muted">Not in the configuration yet: the whole page is indexed.</span>}
      {appliedName !== undefined && appliedName !== part.name && (
        <span class="notice warn">
          The selectors for {formatContentLabel(appliedName)} apply to this page; the selectors here do not.
        </span>
      )}
    </div>
  );
}

function TrialResult({ trial: { response, failure } }: { readonly trial: TrialState }): JSX.Element {
  if (failure) return <Failure problem={failure} />;
  if (!response) return <LoadingNotice />;
  const { reading, outcome, detail, target } = response;
  if (reading) return <PageReading reading={reading} />;
  return (
    <p class="notice warn">
      <Reason code={outcome} /> {detail} {target}
    </p>
  );
}
