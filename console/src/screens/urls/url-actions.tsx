import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiProblem, call } from '../../api/client.js';
import { type Resource, useResource } from '../../state/resource.js';
import { useRested } from '../../state/rested.js';
import { Failure, Loading } from '../../ui/answers.js';
import { Confirm } from '../../ui/dialog.js';
import { count, plural } from '../../ui/format.js';
import { say } from '../../ui/notices.js';
import { restingText } from '../../ui/resting.js';
import { type Filters, LABELS } from './filters.js';

interface ActionProps {
  readonly crawler: string;
  readonly filters: Filters;
  readonly onClose: () => void;
}

export function RefreshUrls(props: ActionProps): JSX.Element {
  const { crawler } = props;
  const refresh = async (like: string): Promise<void> => {
    const { count: due, resting } = await call('POST /api/v1/crawlers/{crawler}/refresh', {
      path: { crawler },
      body: { like },
    });
    say(`${plural(due, 'URL')} of ${crawler} ${due === 1 ? 'is' : 'are'} due now.${restingText(resting)}`);
  };
  return (
    <ByPattern {...props} title="Refresh URLs now" verb="Refresh" act={refresh}>
      They become due at once and are visited as politeness allows. Nothing is deleted.
    </ByPattern>
  );
}

export function ClearUrls(props: ActionProps): JSX.Element {
  const { crawler } = props;
  const clear = async (like: string): Promise<void> => {
    const { count: cleared } = await call('DELETE /api/v1/crawlers/{crawler}/urls', {
      path: { crawler },
      query: { like, confirm: true },
    });
    say(`${plural(cleared, 'URL')} of ${crawler} removed; deletions for their documents are on the way.`);
  };
  return (
    <ByPattern {...props} title="Remove URLs" verb="Remove" danger act={clear}>
      They are forgotten and <strong>their documents leave the index</strong>. A link to one of them finds it again.
    </ByPattern>
  );
}

interface PatternProps extends ActionProps {
  readonly title: string;
  readonly verb: string;
  readonly danger?: boolean;
  readonly act: (like: string) => Promise<void>;
  /** What becomes of them. */
  readonly children: ComponentChildren;
}

/** Nothing can be done before the server has said how many URLs the pattern means. */
function ByPattern({ crawler, filters, title, verb, danger, act, children, onClose }: PatternProps): JSX.Element {
  const [like, setLike] = useState(suggested(filters).like);
  const counted = useMatching(crawler, like);
  const number = counted.value ?? 0;
  return (
    <Confirm
      title={title}
      action={number > 0 ? `${verb} ${plural(number, 'URL')}` : verb}
      danger={danger}
      ready={number > 0}
      onConfirm={() => act(like)}
      onClose={onClose}
    >
      <LeftOut filters={filters} />
      <div class="field">
        <label for="like">URLs like (% any characters, _ one character)</label>
        <input id="like" class="mono" required value={like} onInput={(event) => setLike(event.currentTarget.value)} />
      </div>
      <Matching like={like} counted={counted}>
        {children}
      </Matching>
    </Confirm>
  );
}

interface Suggestion {
  readonly like: string;
  /** The filter that it says; absent when none names an address. */
  readonly from?: keyof Filters;
}

/** Never everything: who means that has to type it. */
function suggested({ like, prefix, host }: Filters): Suggestion {
  if (like) return { like, from: 'like' };
  if (prefix) return { like: `${escaped(prefix)}%`, from: 'prefix' };
  return host ? { like: `%://${escaped(host)}/%`, from: 'host' } : { like: '' };
}

const escaped = (text: string): string => text.replace(/[%_\\]/g, (sign) => `\\${sign}`);

/** The list can be narrower than any pattern. */
function LeftOut({ filters }: { filters: Filters }): JSX.Element | null {
  const { from } = suggested(filters);
  const names = (Object.keys(LABELS) as (keyof Filters)[]).filter((name) => filters[name] !== undefined);
  const leftOut = names.filter((name) => name !== from).map((name) => `“${LABELS[name]}”`);
  if (leftOut.length === 0) return null;
  return (
    <p class="notice warn">
      Only the pattern counts here. Of the filter, {leftOut.join(' and ')} {leftOut.length === 1 ? 'does' : 'do'} not
      apply.
    </p>
  );
}

function Matching({
  like,
  counted: { value, problem, reload },
  children,
}: {
  like: string;
  counted: Resource<number>;
  children: ComponentChildren;
}): JSX.Element {
  if (like === '') {
    return (
      <p>
        Type which URLs: <code>%/archive/%</code> means all with /archive/ in them, <code>%</code> alone means all.
      </p>
    );
  }
  if (problem) return <Failure problem={problem} retry={reload} />;
  if (value === undefined) return <Loading />;
  if (value === 0) return <p>No stored URL matches.</p>;
  return (
    <p>
      <strong>
        {count(value)} stored {value === 1 ? 'URL matches' : 'URLs match'}.
      </strong>{' '}
      {children}
    </p>
  );
}

/** Unknown while the pattern is being typed. */
function useMatching(crawler: string, like: string): Resource<number> {
  const rested = useRested(like);
  const key = like !== '' && like === rested ? `matching ${crawler} ${like}` : undefined;
  return useResource(key, (signal) => matching(crawler, like, signal));
}

/** A removal without confirmation answers how many match, and does nothing. */
async function matching(crawler: string, like: string, signal: AbortSignal): Promise<number> {
  try {
    await call('DELETE /api/v1/crawlers/{crawler}/urls', { path: { crawler }, query: { like }, signal });
    return 0;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 409) return Number(error.members['count'] ?? 0);
    throw error;
  }
}
