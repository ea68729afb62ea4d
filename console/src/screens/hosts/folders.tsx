/** The tree of a host: folders and URLs as the paths say. Each folder is asked for when it is opened. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { UrlStateDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { Empty, Loaded } from '../../ui/answers.js';
import { count } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { State } from '../../ui/status.js';

/** Read for one tree; a larger host is shown by what was found first, and says so. */
const READ_PAGES = 5;
const PAGE = 1000;
const LEAVES = 200;

interface Folder {
  readonly path: string;
  readonly name: string;
  readonly folders: Map<string, Folder>;
  readonly urls: UrlStateDto[];
  total: number;
}

export function Folders({ crawler, host }: { crawler: string; host: string }): JSX.Element {
  const urls = useResource(`folders ${crawler} ${host}`, (signal) => readUrls(crawler, host, signal));
  return (
    <Panel
      title="Folders"
      aside={
        <button type="button" class="button small" onClick={urls.reload}>
          Reload
        </button>
      }
    >
      <Loaded of={urls}>
        {({ items, complete }) =>
          items.length === 0 ? (
            <Empty>{crawler} stores no URL of this host.</Empty>
          ) : (
            <>
              {!complete && (
                <p class="muted">
                  The first {count(items.length)} URLs are shown.{' '}
                  <a href={href('/urls', { crawler, host })}>See all in the list.</a>
                </p>
              )}
              {treesOf(items).map((tree) => (
                <Branch key={tree.path} folder={tree} crawler={crawler} open />
              ))}
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

async function readUrls(
  crawler: string,
  host: string,
  signal: AbortSignal,
): Promise<{ items: UrlStateDto[]; complete: boolean }> {
  const items: UrlStateDto[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < READ_PAGES; page++) {
    const answer = await call('GET /api/v1/crawlers/{crawler}/urls', {
      path: { crawler },
      query: { host, cursor, limit: PAGE },
      signal,
    });
    items.push(...answer.items);
    if (answer.next === null) return { items, complete: true };
    cursor = answer.next;
  }
  return { items, complete: false };
}

const newFolder = (path: string, name: string): Folder => ({ path, name, folders: new Map(), urls: [], total: 0 });

/** One tree for each scheme. */
function treesOf(items: readonly UrlStateDto[]): Folder[] {
  const trees = new Map<string, Folder>();
  for (const state of items) {
    const { origin, pathname } = new URL(state.url);
    const root = trees.get(origin) ?? newFolder(`${origin}/`, `${origin}/`);
    trees.set(origin, root);
    place(root, pathname.split('/').slice(1, -1), state);
  }
  return [...trees.values()];
}

function place(root: Folder, segments: readonly string[], state: UrlStateDto): void {
  let folder = root;
  folder.total++;
  for (const segment of segments) {
    const child = folder.folders.get(segment) ?? newFolder(`${folder.path}${segment}/`, `${segment}/`);
    folder.folders.set(segment, child);
    child.total++;
    folder = child;
  }
  folder.urls.push(state);
}

function Branch({ folder, crawler, open = false }: { folder: Folder; crawler: string; open?: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(open);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="mono">{folder.name}</span> <span class="muted">{count(folder.total)}</span>
      </summary>
      {isOpen && (
        <ul class="tree">
          {[...folder.folders.values()].map((child) => (
            <li key={child.path}>
              <Branch folder={child} crawler={crawler} />
            </li>
          ))}
          {folder.urls.slice(0, LEAVES).map((state) => (
            <li key={state.id} class="leaf">
              <a class="url" href={href('/url', { crawler, url: state.url })}>
                {state.url.slice(folder.path.length) || '(the folder itself)'}
              </a>
              <State name={state.status} />
              <span class="muted">{state.title}</span>
            </li>
          ))}
          {folder.urls.length > LEAVES && (
            <li>
              <a href={href('/urls', { crawler, prefix: folder.path })}>
                and {count(folder.urls.length - LEAVES)} more
              </a>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}
