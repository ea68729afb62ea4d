import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useResource } from '../../state/resource.js';
import { useRoute } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { ResourceView } from '../../ui/answers.js';
import { Panel } from '../../ui/panel.js';
import { ApplyDialog } from './apply-dialog.js';
import { CheckSummary, useDraftCheck } from './checking.js';
import { CodeEditor } from './code-editor.js';
import { type LoadedForms, loadForms } from './load.js';
import { useUnsaved } from './unsaved.js';

export function XmlScreen(): JSX.Element {
  const forms = useResource('configuration forms', loadForms);
  return (
    <ResourceView of={forms}>
      {(loaded) => <XmlEditor key={loaded.etag} loaded={loaded} onApplied={forms.reload} />}
    </ResourceView>
  );
}

function XmlEditor({ loaded, onApplied }: { loaded: LoadedForms; onApplied: () => void }): JSX.Element {
  const { query } = useRoute();
  const mayChange = useHasRole('admin');
  const { text: xml, start, changed, etag, type, discard, forget } = useUnsaved('xml', loaded.xml, loaded.etag);
  const { checked, check } = useDraftCheck(
    (text) => ({ xml: text }),
    ({ file, line, column }) => (file === loaded.file ? { line, column } : undefined),
  );
  const [applying, setApplying] = useState(false);
  return (
    <Panel
      title="CrawlConfig.xml"
      aside={
        mayChange ? (
          <>
            <CheckSummary checked={checked} />
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
        )
      }
    >
      <CodeEditor
        key={start.round}
        label="CrawlConfig.xml"
        language="xml"
        text={start.text}
        line={Number(query.get('line')) || undefined}
        editable={mayChange}
        elements={loaded.elements}
        onChange={type}
        check={check}
      />
      <p class="muted">
        Secrets are shown as placeholders; leave a placeholder in place to keep the secret. Control-Space offers
        completions, Control-F searches, F8 goes to the next problem, Control-Shift-M opens the list of problems, and
        Escape followed by Tab leaves the editor.
      </p>
      {applying && (
        <ApplyDialog
          title="Save the configuration"
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
    </Panel>
  );
}
