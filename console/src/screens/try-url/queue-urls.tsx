import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { formatPlural } from '../../ui/format.js';
import { runWithNotice } from '../../ui/notices.js';

export function QueueButton({
  crawler,
  urls,
  onDone,
}: {
  crawler: string;
  urls: readonly string[];
  onDone?: () => void;
}): JSX.Element {
  const [busy, setBusy] = useState(false);
  const queueUrls = async (): Promise<void> => {
    setBusy(true);
    await runWithNotice(async () => {
      for (const url of urls) await call('POST /api/v1/crawlers/{crawler}/roots', { path: { crawler }, body: { url } });
      onDone?.();
      return `${formatPlural(urls.length, 'URL')} queued; ${crawler} visits ${urls.length === 1 ? 'it' : 'them'} first.`;
    });
    setBusy(false);
  };
  return (
    <button type="button" class="button primary" disabled={busy || urls.length === 0} onClick={queueUrls}>
      {urls.length === 1 ? 'Queue it' : `Queue ${urls.length} URLs`}
    </button>
  );
}
