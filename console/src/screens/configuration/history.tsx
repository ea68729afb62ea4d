import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { RuleTextDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { changeQuery, useRoute } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { Failure, LoadingNotice, ResourceView } from '../../ui/answers.js';
import { Panel } from '../../ui/panel.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
import { ApplyDialog } from './apply-dialog.js';
import { loadConfiguration } from './load.js';
import { TextDifference } from './text-difference.js';

export function History(): JSX.Element {
  const { query } = useRoute();
  const chosenVersion = Number(query.get('version')) || undefined;
  const laterVersion = Number(query.get('to')) || undefined;
  const versions = useResource(
    'versions',
    async (signal) => (await call('GET /api/v1/config/versions', { query: { limit: 200 }, signal })).items,
  );
  return (
    <div class="stack">
      <Panel title="Versions" aside="newest first">
        <ResourceView resource={versions}>
          {(items) => (
            <Table
              name="Versions of the configuration"
              headers={[{ label: 'Version', isNumber: true }, 'When', 'By', { label: 'Compare', hidden: true }]}
            >
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
                        onClick={() => changeQuery({ version: String(version), to: undefined })}
                      >
                        Compare
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </ResourceView>
      </Panel>
      {chosenVersion && (
        <Comparison
          key={`${chosenVersion} ${laterVersion}`}
          version={chosenVersion}
          laterVersion={laterVersion}
          onRestored={versions.reload}
        />
      )}
    </div>
  );
}

interface Texts {
  readonly xml: string;
  /** Texts of the files by name. */
  readonly files: ReadonlyMap<string, string>;
}

const indexByName = (items: readonly RuleTextDto[]): Map<string, string> =>
  new Map(items.map(({ name, text }) => [name, text]));

async function loadCurrentTexts(signal: AbortSignal): Promise<Texts & { etag: string }> {
  const [{ xml, etag }, { items }] = await Promise.all([
    loadConfiguration(signal),
    call('GET /api/v1/config/files', { signal }),
  ]);
  return { xml, etag, files: indexByName(items) };
}

async function loadVersionTexts(version: number, signal: AbortSignal): Promise<Texts> {
  const path = { version };
  const [xml, { items }] = await Promise.all([
    call('GET /api/v1/config/versions/{version}', { path, signal }),
    call('GET /api/v1/config/versions/{version}/files', { path, signal }),
  ]);
  return { xml, files: indexByName(items) };
}

interface ComparisonProps {
  readonly version: number;
  /** The version to compare with. Absent: the one in force. */
  readonly laterVersion: number | undefined;
  readonly onRestored: () => void;
}

function Comparison({ version, laterVersion, onRestored }: ComparisonProps): JSX.Element {
  const [restoring, setRestoring] = useState(false);
  const mayChange = useHasRole('admin');
  const { value: currentTexts } = useResource(`later version ${laterVersion}`, async (signal) => ({
    ...(await loadCurrentTexts(signal)),
    ...(laterVersion === undefined ? {} : await loadVersionTexts(laterVersion, signal)),
  }));
  const { value: earlierTexts, problem } = useResource(`version ${version}`, (signal) =>
    loadVersionTexts(version, signal),
  );
  if (problem) return <Failure problem={problem} />;
  if (!currentTexts || !earlierTexts) return <LoadingNotice />;
  const { xml, files, etag } = currentTexts;
  const changedNames = [...new Set([...earlierTexts.files.keys(), ...files.keys()])].filter(
    (name) => earlierTexts.files.get(name) !== files.get(name),
  );
  return (
    <Panel
      title={`From version ${version} to ${laterVersion ?? 'the one in force'}`}
      aside={
        mayChange &&
        laterVersion === undefined && (
          <button type="button" class="button" onClick={() => setRestoring(true)}>
            Restore version {version}…
          </button>
        )
      }
    >
      <div class="stack">
        {(xml !== earlierTexts.xml || changedNames.length === 0) && (
          <TextDifference before={earlierTexts.xml} after={xml} language="xml" />
        )}
        {changedNames.map((name) => (
          <section key={name} class="stack" aria-label={name}>
            <h3 class="mono">{name}</h3>
            <TextDifference
              before={earlierTexts.files.get(name) ?? ''}
              after={files.get(name) ?? ''}
              language="rules"
            />
          </section>
        ))}
      </div>
      {restoring && (
        <ApplyDialog
          title={`Restore version ${version}`}
          action={`Restore version ${version}`}
          draft={{
            xml: earlierTexts.xml,
            files: Object.fromEntries(changedNames.flatMap((name) => listEntries(earlierTexts, name))),
          }}
          etag={etag}
          save={(confirm) =>
            call('POST /api/v1/config/versions/{version}/restore', {
              path: { version },
              query: { confirm },
              ifMatch: etag,
            })
          }
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

function listEntries({ files }: Texts, name: string): (readonly [string, string])[] {
  const text = files.get(name);
  return text === undefined ? [] : [[name, text]];
}
