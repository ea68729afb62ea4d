import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { type Resource, useResource } from '../../state/resource.js';
import { useDebounced } from '../../state/rested.js';
import { Failure, Loading } from '../../ui/answers.js';
import { Confirm } from '../../ui/dialog.js';
import { formatCount, formatPlural } from '../../ui/format.js';
import { showNotice } from '../../ui/notices.js';
import { restingHostsText } from '../../ui/resting.js';
import { type Choice, type Filters, filterTexts, isFiltered, LABELS, toQuery } from './filters.js';

interface ActionProps {
  readonly crawler: string;
  readonly filters: Filters;
  readonly onClose: () => void;
}

export function RefreshUrls(props: ActionProps): JSX.Element {
  const { crawler } = props;
  const refresh = async (choice: Choice): Promise<void> => {
    const { count: due, resting } = await call('POST /api/v1/crawlers/{crawler}/refresh', {
      path: { crawler },
      body: choice,
    });
    showNotice(
      `${formatPlural(due, 'URL')} of ${crawler} ${due === 1 ? 'is' : 'are'} due now.${restingHostsText(resting)}`,
    );
  };
  return (
    <ActOnUrls {...props} title="Refresh URLs now" verb="Refresh" act={refresh}>
      The URLs become due at once and are visited as soon as politeness allows. Nothing is deleted.
    </ActOnUrls>
  );
}

export function ClearUrls(props: ActionProps): JSX.Element {
  const { crawler } = props;
  const clear = async (choice: Choice): Promise<void> => {
    const { count: cleared } = await call('DELETE /api/v1/crawlers/{crawler}/urls', {
      path: { crawler },
      query: { ...choice, confirm: true },
    });
    showNotice(`${formatPlural(cleared, 'URL')} of ${crawler} removed; deletions for their documents are on the way.`);
  };
  return (
    <ActOnUrls {...props} title="Remove URLs" verb="Remove" danger act={clear}>
      The URLs are forgotten, and <strong>their documents are removed from the index</strong>. The crawler may
      rediscover them through links.
    </ActOnUrls>
  );
}

interface ActProps extends ActionProps {
  readonly title: string;
  readonly verb: string;
  readonly danger?: boolean;
  readonly act: (choice: Choice) => Promise<void>;
  /** What happens to the URLs. */
  readonly children: ComponentChildren;
}

/** Applies an action to the listed URLs. Without a filter, a pattern is required: omitting it never means all URLs. */
const ActOnUrls = (props: ActProps): JSX.Element =>
  isFiltered(props.filters) ? <ByFilter {...props} /> : <ByPattern {...props} />;

function ByFilter(props: ActProps): JSX.Element {
  // An age is counted back from now, which must be the same time for the count and for the action.
  const [choice] = useState(() => toQuery(props.filters));
  const counted = useCount(props.crawler, choice);
  return (
    <Act {...props} choice={choice} number={counted.value ?? 0}>
      <dl class="facts">
        {filterTexts(props.filters).map(([name, words]) => (
          <Fragment key={name}>
            <dt>{LABELS[name]}</dt>
            <dd class="mono">{words}</dd>
          </Fragment>
        ))}
      </dl>
      <Counted counted={counted}>{props.children}</Counted>
    </Act>
  );
}

function ByPattern(props: ActProps): JSX.Element {
  const [like, setLike] = useState('');
  const rested = useDebounced(like);
  const counted = useCount(props.crawler, like !== '' && like === rested ? { like } : undefined);
  return (
    <Act {...props} choice={{ like }} number={counted.value ?? 0}>
      <div class="field">
        <label for="like">URLs like (* or % for any characters)</label>
        <input id="like" class="mono" required value={like} onInput={(event) => setLike(event.currentTarget.value)} />
      </div>
      {like === '' ? (
        <p>
          Enter a pattern: <code>*/archive/*</code> means all that contain /archive/, <code>*</code> alone means all.
        </p>
      ) : (
        <Counted counted={counted}>{props.children}</Counted>
      )}
    </Act>
  );
}

/** The action is only available once the server has said how many URLs match. */
const Act = ({
  title,
  verb,
  danger,
  act,
  choice,
  number,
  onClose,
  children,
}: ActProps & { readonly choice: Choice; readonly number: number }): JSX.Element => (
  <Confirm
    title={title}
    action={number > 0 ? `${verb} ${formatPlural(number, 'URL')}` : verb}
    danger={danger}
    ready={number > 0}
    onConfirm={() => act(choice)}
    onClose={onClose}
  >
    {children}
  </Confirm>
);

function Counted({
  counted: { value, problem, reload },
  children,
}: {
  counted: Resource<number>;
  children: ComponentChildren;
}): JSX.Element {
  if (problem) return <Failure problem={problem} retry={reload} />;
  if (value === undefined) return <Loading />;
  if (value === 0) return <p>No stored URL matches.</p>;
  return (
    <p>
      <strong>
        {formatCount(value)} stored {value === 1 ? 'URL matches' : 'URLs match'}.
      </strong>{' '}
      {children}
    </p>
  );
}

/** Counts the URLs that match; unknown until something is chosen. */
export function useCount(crawler: string, choice: Choice | undefined): Resource<number> {
  return useResource(
    choice && `count ${crawler} ${JSON.stringify(choice)}`,
    async (signal) =>
      (await call('GET /api/v1/crawlers/{crawler}/urls/count', { path: { crawler }, query: choice, signal })).count,
  );
}
