/** A host's URLs as a tree of folders. Each folder is loaded when it is opened. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { href } from '../../state/route.js';
import { EmptyState, Failure, LoadingNotice } from '../../ui/answers.js';
import { formatCount, formatPercent, formatPlural } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { StateBadge } from '../../ui/status.js';
import { type Contents, useFolder } from './folder.js';

const FOLDERS_PER_PAGE = 200;

interface HostProps {
  readonly crawler: string;
  readonly host: string;
}

export function Folders({ crawler, host }: HostProps): JSX.Element {
  const [reloadCount, setReloadCount] = useState(0);
  return (
    <Panel
      title="Folders"
      aside={
        <button type="button" class="button small" onClick={() => setReloadCount(reloadCount + 1)}>
          Reload
        </button>
      }
    >
      <Origins key={`${crawler} ${host} ${reloadCount}`} crawler={crawler} host={host} />
    </Panel>
  );
}

/** One tree for each scheme. */
function Origins({ crawler, host }: HostProps): JSX.Element {
  const { contents, problem, resume } = useFolder(crawler, host, '');
  if (problem) return <Failure problem={problem} />;
  if (!contents) return <LoadingNotice />;
  const origins = [...contents.folders];
  if (origins.length === 0 && contents.searchedShare === 1)
    return <EmptyState>{crawler} has stored no URLs of this host.</EmptyState>;
  return (
    <>
      {origins.map(([origin, urls]) => (
        <Branch key={origin} crawler={crawler} host={host} path={origin} name={origin} urls={urls} open />
      ))}
      <Progress contents={contents} resume={resume} />
    </>
  );
}

interface BranchProps extends HostProps {
  readonly path: string;
  readonly name: string;
  readonly urls: number;
  readonly open?: boolean;
}

function Branch({ path, name, urls, open = false, ...hostProps }: BranchProps): JSX.Element {
  const [isOpen, setOpen] = useState(open);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="mono">{name}</span> <span class="muted">{formatCount(urls)}</span>
      </summary>
      {isOpen && <Leaves {...hostProps} path={path} />}
    </details>
  );
}

function Leaves({ crawler, host, path }: HostProps & { path: string }): JSX.Element {
  const { contents, problem, resume } = useFolder(crawler, host, path);
  const [shownCount, setShownCount] = useState(FOLDERS_PER_PAGE);
  if (problem) return <Failure problem={problem} />;
  if (!contents) return <LoadingNotice />;
  const folders = [...contents.folders].sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <>
      <ul class="tree">
        {folders.slice(0, shownCount).map(([name, urls]) => (
          <li key={name}>
            <Branch crawler={crawler} host={host} path={path + name} name={name} urls={urls} />
          </li>
        ))}
        {folders.length > shownCount && (
          <li>
            <button type="button" class="button small" onClick={() => setShownCount(shownCount + FOLDERS_PER_PAGE)}>
              Show more of {formatPlural(folders.length, 'folder')}
            </button>
          </li>
        )}
        {contents.others > 0 && <li class="muted">and {formatPlural(contents.others, 'URL')} in further folders</li>}
        {contents.sample.map((state) => (
          <li key={state.id} class="leaf">
            <a class="url" href={href('/url', { crawler, url: state.url })}>
              {state.url.slice(path.length) || '(the folder itself)'}
            </a>
            <StateBadge name={state.status} />
            <span class="muted">{state.title}</span>
          </li>
        ))}
        {contents.urls > contents.sample.length && (
          <li>
            <a href={href('/urls', { crawler, prefix: path })}>
              and {formatCount(contents.urls - contents.sample.length)} more
            </a>
          </li>
        )}
      </ul>
      <Progress contents={contents} resume={resume} />
    </>
  );
}

/** Shows how much of a large host has been counted, and a button to count the rest. */
function Progress({
  contents: { searchedShare },
  resume,
}: {
  contents: Contents;
  resume?: () => void;
}): JSX.Element | null {
  if (searchedShare === 1) return null;
  return (
    <p class="muted" role="status">
      {formatPercent(searchedShare)} of the stored URLs have been counted so far.{' '}
      {resume && (
        <button type="button" class="button small" onClick={resume}>
          Continue counting
        </button>
      )}
    </p>
  );
}
