/** Selectors for the content of a page, which are tried on the page itself before they are saved. */
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
import { findElementAt, getAttributeValue, readXml, setAttribute } from '../configuration/xml-tree.js';
import { FieldRows, SelectorRows } from './content-rows.js';
import { blankUnfinished, type ContentPart, contentParts, removeUnfinished } from './content-text.js';
import { PageReading } from './reading.js';
import { type Trying, useTrial } from './trying.js';

interface PageProps {
  readonly crawler: string;
  readonly url: string;
}

export function Selectors(page: PageProps): JSX.Element {
  const forms = useResource(`selectors ${page.crawler}`, loadForms);
  return (
    <ResourceView of={forms}>
      {(loaded) => <ContentSelection {...page} loaded={loaded} onApplied={forms.reload} />}
    </ResourceView>
  );
}

interface LoadedProps extends PageProps {
  readonly loaded: LoadedForms;
  readonly onApplied: () => void;
}

function ContentSelection(props: LoadedProps): JSX.Element {
  const parts = contentParts(props.loaded.xml, props.crawler);
  const [name, setName] = useState('');
  const part = parts.find((one) => one.name === name) ?? parts[0]!;
  const key = `${props.loaded.etag} ${part.name}`;
  return <Trial key={key} {...props} part={part} names={parts.map((one) => one.name)} choose={setName} />;
}

interface TrialProps extends LoadedProps {
  readonly part: ContentPart;
  readonly names: readonly string[];
  readonly choose: (name: string) => void;
}

const OWN_ROWS = ['Include', 'Exclude', 'Field'];

function Trial({ crawler, url, loaded, part, names, choose, onApplied }: TrialProps): JSX.Element {
  const mayChange = useHasRole('admin');
  const [text, setText] = useState(part.text);
  const [render, setRender] = useState(false);
  const [applying, setApplying] = useState(false);
  const trial = useTrial({ crawler, url, render }, blankUnfinished(text));
  const root = readXml(text);
  if (!root) return <p class="notice bad">The configuration has no such element. Write it in its XML view.</p>;
  const { answer, problems } = trial;
  const rows = { text, root, problems, reading: answer?.reading, change: setText };
  const elements = new Map(loaded.elements.map((one) => [one.name, one]));
  const others = problems.filter(
    ({ line, column }) => !OWN_ROWS.includes(findElementAt(root, text, line, column)?.name ?? ''),
  );
  const changed = removeUnfinished(text) !== part.text;
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
                Put it into the configuration…
              </button>
            )}
          </>
        }
      >
        <div class="stack">
          <ContentChoice names={names} part={part} inForce={answer?.content} choose={choose} />
          <div class="compared">
            <SelectorRows {...rows} kind="Include" />
            <SelectorRows {...rows} kind="Exclude" />
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
          <FieldRows {...rows} />
          {others.map(({ message, severity }) => (
            <p key={message} class={`notice ${severity === 'error' ? 'bad' : 'warn'}`}>
              {message}
            </p>
          ))}
          <details>
            <summary>Markdown, chunks, parts and all other settings</summary>
            <ElementForm
              element={root}
              editing={{ xml: text, root, elements, mayChange: true, problems, change: setText }}
              hidden={OWN_ROWS}
            />
          </details>
          <details>
            <summary>As XML</summary>
            <pre>{removeUnfinished(text)}</pre>
          </details>
        </div>
      </Panel>
      <TrialResult trial={trial} />
      {applying && (
        <ApplyDialog
          title="What this change would do"
          draft={{ xml: joinPart(part, removeUnfinished(text)) }}
          etag={loaded.etag}
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

const FetchStatus = ({ trial: { answer, pending, fetchAgain } }: { readonly trial: Trying }): JSX.Element => (
  <>
    <span role="status">
      {pending
        ? 'Reading…'
        : answer?.fetchedAt && (
            <>
              fetched <Time at={answer.fetchedAt} relative />
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
  readonly inForce: string | undefined;
  readonly choose: (name: string) => void;
}

const contentLabel = (name: string): string => (name === '' ? 'all pages' : `pages with content="${name}"`);

function ContentChoice({ names, part, inForce, choose }: ContentChoiceProps): JSX.Element {
  const id = useId();
  return (
    <div class="row">
      <label for={id}>For</label>
      <select id={id} value={part.name} onChange={({ currentTarget: { value } }) => choose(value)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {contentLabel(name)}
          </option>
        ))}
      </select>
      {part.isNew && <span class="muted">Not in the configuration yet: pages are read unchanged.</span>}
      {inForce !== undefined && inForce !== part.name && (
        <span class="notice warn">
          This page is among the {contentLabel(inForce)}: the selectors here do not apply to it.
        </span>
      )}
    </div>
  );
}

function TrialResult({ trial: { answer, failure } }: { readonly trial: Trying }): JSX.Element {
  if (failure) return <Failure problem={failure} />;
  if (!answer) return <LoadingNotice />;
  const { reading, outcome, detail, target } = answer;
  if (reading) return <PageReading reading={reading} />;
  return (
    <p class="notice warn">
      <Reason code={outcome} /> {detail} {target}
    </p>
  );
}
