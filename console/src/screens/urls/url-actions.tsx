import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiProblem, call } from '../../api/client.js';
import { useResource } from '../../state/resource.js';
import { Loading } from '../../ui/answers.js';
import { Confirm } from '../../ui/dialog.js';
import { count, plural } from '../../ui/format.js';
import { say } from '../../ui/notices.js';
import type { Filters } from './filters.js';

interface ActionProps {
  readonly crawler: string;
  readonly filters: Filters;
  readonly onClose: () => void;
}

/** The pattern that the filter suggests: what the list shows is most often what is meant. */
const suggested = ({ like, prefix, host }: Filters): string =>
  like ?? (prefix ? `${escaped(prefix)}%` : host ? `%://${escaped(host)}/%` : '%');

const escaped = (text: string): string => text.replace(/[%_]/g, (sign) => `\\${sign}`);

export function RefreshUrls({ crawler, filters, onClose }: ActionProps): JSX.Element {
  const [like, setLike] = useState(suggested(filters));
  const refresh = async (): Promise<void> => {
    const { count: due } = await call('POST /api/v1/crawlers/{crawler}/refresh', { path: { crawler }, body: { like } });
    say(`${plural(due, 'URL')} of ${crawler} ${due === 1 ? 'is' : 'are'} due now.`);
  };
  return (
    <Confirm title="Refresh URLs now" action="Refresh" onConfirm={refresh} onClose={onClose}>
      <Pattern like={like} onInput={setLike} />
      <p>
        <Matching crawler={crawler} like={like} /> They become due at once and are visited as politeness allows. Nothing
        is deleted.
      </p>
    </Confirm>
  );
}

export function ClearUrls({ crawler, filters, onClose }: ActionProps): JSX.Element {
  const [like, setLike] = useState(suggested(filters));
  const clear = async (): Promise<void> => {
    const { count: cleared } = await call('DELETE /api/v1/crawlers/{crawler}/urls', {
      path: { crawler },
      query: { like, confirm: true },
    });
    say(`${plural(cleared, 'URL')} of ${crawler} removed; deletions for their documents are on the way.`);
  };
  return (
    <Confirm title="Remove URLs" action="Remove them" danger onConfirm={clear} onClose={onClose}>
      <Pattern like={like} onInput={setLike} />
      <p>
        <Matching crawler={crawler} like={like} /> They are forgotten and{' '}
        <strong>their documents leave the index</strong>. A link to one of them finds it anew.
      </p>
    </Confirm>
  );
}

const Pattern = ({ like, onInput }: { like: string; onInput: (like: string) => void }): JSX.Element => (
  <div class="field">
    <label for="like">URLs like (% any characters, _ one character)</label>
    <input id="like" class="mono" required value={like} onInput={(event) => onInput(event.currentTarget.value)} />
  </div>
);

/** Asks the server how many match: a removal without confirmation answers exactly that and does nothing. */
function Matching({ crawler, like }: { crawler: string; like: string }): JSX.Element {
  const { value } = useResource(like ? `matching ${crawler} ${like}` : undefined, (signal) =>
    matching(crawler, like, signal),
  );
  if (value === undefined) return <Loading />;
  return (
    <strong>
      {value === 0 ? 'No stored URL matches.' : `${count(value)} stored ${value === 1 ? 'URL matches' : 'URLs match'}.`}
    </strong>
  );
}

async function matching(crawler: string, like: string, signal: AbortSignal): Promise<number> {
  try {
    await call('DELETE /api/v1/crawlers/{crawler}/urls', { path: { crawler }, query: { like }, signal });
    return 0;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 409) return Number(error.members['count'] ?? 0);
    throw error;
  }
}
