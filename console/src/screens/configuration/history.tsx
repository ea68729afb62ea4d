import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { useResource } from '../../state/resource.js';
import { changeQuery, useRoute } from '../../state/route.js';
import { useMay } from '../../state/session.js';
import { Loaded, Loading } from '../../ui/answers.js';
import { Panel } from '../../ui/panel.js';
import { Time } from '../../ui/time.js';
import { ApplyDialog } from './apply-dialog.js';
import { loadConfiguration } from './load.js';
import { XmlDifference } from './xml-difference.js';

export function History(): JSX.Element {
  const { query } = useRoute();
  const chosen = Number(query.get('version')) || undefined;
  const versions = useResource(
    'versions',
    async (signal) => (await call('GET /api/v1/config/versions', { query: { limit: 200 }, signal })).items,
  );
  return (
    <div class="stack">
      <Panel title="Versions" aside="every configuration that was in force, newest first">
        <Loaded of={versions}>
          {(items) => (
            <div class="scroll">
              <table>
                <caption class="visually-hidden">Versions of the configuration</caption>
                <thead>
                  <tr>
                    <th scope="col" class="number">
                      Version
                    </th>
                    <th scope="col">When</th>
                    <th scope="col">By</th>
                    <th scope="col">
                      <span class="visually-hidden">Compare</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(({ version, at, who }, index) => (
                    <tr key={version}>
                      <td class="number">{version}</td>
                      <td>
                        <Time at={at} />
                      </td>
                      <td>{who}</td>
                      <td>
                        {index === 0 ? (
                          'in force'
                        ) : (
                          <button
                            type="button"
                            class="button small"
                            aria-label={`Compare version ${version} with the one in force`}
                            onClick={() => changeQuery({ version: String(version) })}
                          >
                            Compare
                          </button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </Loaded>
      </Panel>
      {chosen && <Comparison key={chosen} version={chosen} onRestored={versions.reload} />}
    </div>
  );
}

function Comparison({ version, onRestored }: { version: number; onRestored: () => void }): JSX.Element {
  const [restoring, setRestoring] = useState(false);
  const mayChange = useMay('admin');
  const current = useResource('configuration', loadConfiguration);
  const earlier = useResource(`version ${version}`, (signal) =>
    call('GET /api/v1/config/versions/{version}', { path: { version }, signal }),
  );
  if (!current.value || earlier.value === undefined) return <Loading />;
  return (
    <Panel
      title={`From version ${version} to the one in force`}
      aside={
        mayChange && (
          <button type="button" class="button" onClick={() => setRestoring(true)}>
            Restore version {version}…
          </button>
        )
      }
    >
      <XmlDifference before={earlier.value} after={current.value.xml} />
      {restoring && (
        <ApplyDialog
          title={`Restore version ${version}`}
          xml={earlier.value}
          etag={current.value.etag}
          onApplied={() => {
            setRestoring(false);
            changeQuery({ version: undefined });
            onRestored();
          }}
          onClose={() => setRestoring(false)}
        />
      )}
    </Panel>
  );
}
