import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { ConfigurationProblemDto } from '../../api/schema.js';
import { getPlaceLink } from '../../state/place.js';
import { useResource } from '../../state/resource.js';
import { ResourceView } from '../../ui/answers.js';
import { formatPlural } from '../../ui/format.js';
import { Time } from '../../ui/time.js';

const POLL_INTERVAL_MS = 5000;

/** Shows which version is in force, and problems that the check found. */
export function ConfigurationOverview(): JSX.Element {
  const state = useResource(
    'configuration state',
    (signal) => call('GET /api/v1/config/state', { signal }),
    POLL_INTERVAL_MS,
  );
  return (
    <ResourceView resource={state}>
      {({ version, at, who, file, warnings, rejected }) => (
        <div class="stack">
          <p class="muted">
            Version {version}, <Time at={at} /> by {who}, in <span class="mono">{file}</span>
          </p>
          {rejected.length > 0 && (
            <div class="notice bad" role="alert">
              <p>
                The file on disk has changed since then but is not in force: it has{' '}
                {formatPlural(rejected.length, 'problem')}.
              </p>
              <Problems problems={rejected} />
            </div>
          )}
          {warnings.length > 0 && (
            <div class="notice warn">
              <p>The configuration in force has {formatPlural(warnings.length, 'warning')}.</p>
              <Problems problems={warnings} />
            </div>
          )}
        </div>
      )}
    </ResourceView>
  );
}

const Problems = ({ problems }: { problems: readonly ConfigurationProblemDto[] }): JSX.Element => (
  <ul>
    {problems.slice(0, 20).map(({ file, line, column, code, message }) => (
      <li key={`${file}:${line}:${column}:${code}`}>
        <a class="mono" href={getPlaceLink({ file, line })}>
          {file.slice(file.lastIndexOf('/') + 1)}:{line}:{column}
        </a>{' '}
        {message}
      </li>
    ))}
  </ul>
);
