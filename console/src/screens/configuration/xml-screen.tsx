import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useResource } from '../../state/resource.js';
import { useRoute } from '../../state/route.js';
import { useMay } from '../../state/session.js';
import { Loaded } from '../../ui/answers.js';
import { plural } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { ApplyDialog } from './apply-dialog.js';
import { type LoadedConfiguration, loadConfiguration } from './load.js';
import { type Checked, XmlEditor } from './xml-editor.js';

export function XmlScreen(): JSX.Element {
  const configuration = useResource('configuration', loadConfiguration);
  return (
    <Loaded of={configuration}>
      {(loaded) => <Editing key={loaded.etag} loaded={loaded} onApplied={configuration.reload} />}
    </Loaded>
  );
}

function Editing({ loaded, onApplied }: { loaded: LoadedConfiguration; onApplied: () => void }): JSX.Element {
  const { query } = useRoute();
  const mayChange = useMay('admin');
  const [xml, setXml] = useState(loaded.xml);
  const [checked, setChecked] = useState<Checked>({ errors: 0, warnings: 0 });
  const [applying, setApplying] = useState(false);
  const changed = xml !== loaded.xml;
  return (
    <Panel
      title="CrawlConfig.xml"
      aside={
        mayChange ? (
          <>
            <CheckWords checked={checked} />
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
          'read only: changing it wants the role admin'
        )
      }
    >
      <XmlEditor
        text={loaded.xml}
        line={Number(query.get('line')) || undefined}
        editable={mayChange}
        onChange={setXml}
        onChecked={setChecked}
      />
      <p class="muted">
        Secrets are shown as a placeholder; leave it, and the secret stays. Press Escape and then Tab to leave the
        editor by keyboard.
      </p>
      {applying && (
        <ApplyDialog
          title="Save the configuration"
          xml={xml}
          etag={loaded.etag}
          onApplied={() => {
            setApplying(false);
            onApplied();
          }}
          onClose={() => setApplying(false)}
        />
      )}
    </Panel>
  );
}

function CheckWords({ checked: { errors, warnings } }: { checked: Checked }): JSX.Element {
  const words = [errors > 0 && plural(errors, 'error'), warnings > 0 && plural(warnings, 'warning')].filter(Boolean);
  return <span role="status">{words.join(', ') || 'no problems'}</span>;
}
