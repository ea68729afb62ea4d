/** What a screen shows while data is loading, if it could not be loaded, or if there is none. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiProblem } from '../api/client.js';
import type { Resource } from '../state/resource.js';
import { changeQuery } from '../state/route.js';

export function Failure({ problem, retry }: { problem: ApiProblem; retry?: () => void }): JSX.Element {
  if (problem.errors.some(({ pointer }) => pointer === '?cursor')) return <NoSuchPage />;
  const hint = getStatusHint(problem.status);
  return (
    <div class="notice bad" role="alert">
      <p>
        {problem.detail} {hint}
      </p>
      <ProblemList problem={problem} />
      {retry && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Shown for a link that is incomplete or comes from another server. */
const NoSuchPage = (): JSX.Element => (
  <div class="notice bad" role="alert">
    <p>This link points to a page of the list that does not exist.</p>
    <button type="button" class="button" onClick={() => changeQuery({ cursor: undefined })}>
      First page
    </button>
  </div>
);

function ProblemList({ problem }: { problem: ApiProblem }): JSX.Element | null {
  if (problem.errors.length === 0) return null;
  return (
    <ul>
      {problem.errors.slice(0, 20).map((error) => (
        <li key={`${error.line}:${error.column}:${error.detail}`}>
          {error.line !== undefined && (
            <span class="mono">
              {error.file}:{error.line}:{error.column}{' '}
            </span>
          )}
          {error.detail}
        </li>
      ))}
    </ul>
  );
}

function getStatusHint(status: number): string {
  if (status === 0) return 'This page resumes automatically when the server is back.';
  if (status === 403) return 'Sign in with a key that has a higher role, or one for more crawlers.';
  if (status === 412)
    return 'Someone has changed the configuration in the meantime: reload this page and repeat your change.';
  if (status === 429) return 'Wait a moment and try again.';
  return '';
}

const SLOW_MS = 3000;

export function LoadingNotice(): JSX.Element {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p class="loading" role="status">
      Loading…{isSlow && ' The server is taking long to answer.'}
    </p>
  );
}

/**
 * Shown if a part of the console cannot be loaded. Parts are separate files, which an updated server may no longer
 * have.
 */
export const LoadFailure = (): JSX.Element => (
  <div class="notice warn" role="alert">
    <p>This part of the console did not load: the server is unreachable, or was updated after this page was opened.</p>
    <button type="button" class="button" onClick={() => location.reload()}>
      Reload the page
    </button>
  </div>
);

export const EmptyState = ({ children }: { children: ComponentChildren }): JSX.Element => (
  <div class="empty">{children}</div>
);

/** Shows the data once it is loaded, with a problem above it if the last attempt failed. */
export function ResourceView<T>({
  resource: { value, problem, reload },
  children,
}: {
  resource: Resource<T>;
  children: (value: T) => ComponentChildren;
}): JSX.Element {
  return (
    <>
      {problem && <Failure problem={problem} retry={reload} />}
      {value !== undefined ? children(value) : !problem && <LoadingNotice />}
    </>
  );
}
