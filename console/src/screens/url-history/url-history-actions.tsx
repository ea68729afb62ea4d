import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { UrlStateDto } from '../../api/schema.js';
import { href, navigate } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { ConfirmDialog } from '../../ui/dialog.js';
import { runWithNotice, showNotice } from '../../ui/notices.js';
import { describeRestingHosts } from '../../ui/resting.js';

export function UrlHistoryActions({ state, onDone }: { state: UrlStateDto; onDone: () => void }): JSX.Element | null {
  const [removing, setRemoving] = useState(false);
  const { crawler, url } = state;
  if (!useHasRole('operate')) return null;
  const refresh = (): Promise<void> =>
    runWithNotice(async () => {
      const { resting } = await call('POST /api/v1/crawlers/{crawler}/refresh', { path: { crawler }, body: { url } });
      onDone();
      return `It is due now and will be visited as soon as politeness allows.${describeRestingHosts(resting)}`;
    });
  const remove = async (): Promise<void> => {
    const like = url.replace(/[%_\\]/g, (character) => `\\${character}`);
    await call('DELETE /api/v1/crawlers/{crawler}/urls', { path: { crawler }, query: { like, confirm: true } });
    showNotice(`${url} was removed.`);
    navigate(href('/urls', { crawler }));
  };
  return (
    <>
      <a class="button" href={href('/try', { crawler, url, view: 'links' })}>
        Its links
      </a>
      <button type="button" class="button primary" onClick={refresh}>
        Refresh now
      </button>
      <button type="button" class="button danger" onClick={() => setRemoving(true)}>
        Remove…
      </button>
      {removing && (
        <ConfirmDialog
          title="Remove this URL"
          action="Remove it"
          danger
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          <p class="url">{url}</p>
          <p>
            1 URL is forgotten
            {state.indexed ? ' and 1 document is removed from the index' : '; the index has no document for it'}. The
            crawler may rediscover it through links.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
