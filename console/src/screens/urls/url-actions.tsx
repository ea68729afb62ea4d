import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { type Resource, useResource } from '../../state/resource.js';
import { useDebounced } from '../../state/rested.js';
import { Failure, LoadingNotice } from '../../ui/answers.js';
import { ConfirmDialog } from '../../ui/dialog.js';
import { formatCount, formatPlural } from '../../ui/format.js';
import { showNotice } from '../../ui/notices.js';
import { describeRestingHosts } from '../../ui/resting.js';
import { describeFilters, type FilterQuery, type Filters, isFiltered, LABELS, toQuery } from './filters.js';

interface ActionProps {
  readonly crawler: string;
  readonly filters: Filters;
  readonly onClose: () => void;
}

export function RefreshUrlsDialog(props: ActionProps): JSX.Element {
  const { crawler } = props;
  const refresh = async (filterQuery: FilterQuery): Promise<void> => {
    const { count: dueCount, resting } = await call('POST /api/v1/crawlers/{crawler}/refresh', {
      path: { crawler },
      body: filterQuery,
    });
    showNotice(
      `${formatPlural(dueCount, 'URL')} of ${crawler} ${dueCount === 1 ? 'is' : 'are'} due now.${describeRestingHosts(resting)}`,
    );
  };
  return (
    <UrlAction {...props} title="Refresh URLs now" verb="Refresh" runAction={refresh}>
      The URLs become due immediately and are visited as soon as politeness allows. Nothing is deleted.
    </UrlAction>
  );
}

export function ClearUrlsDialog(props: ActionProps): JSX.Element {
  const { crawler } = props;
  const clear = async (filterQuery: FilterQuery): Promise<void> => {
    const { count: removedCount } = await call('DELETE /api/v1/crawlers/{crawler}/urls', {
      path: { crawler },
      query: { ...filterQuery, confirm: true },
    });
    showNotice(
      `${formatPlural(removedCount, 'URL')} of ${crawler} removed; deletions for their documents are on the way.`,
    );
  };
  return (
    <UrlAction {...props} title="Remove URLs" verb="Remove" danger runAction={clear}>
      The URLs are forgotten, and <strong>their documents are removed from the index</strong>. The crawler may
      rediscover them through links.
    </UrlAction>
  );
}

interface UrlActionProps extends ActionProps {
  readonly title: string;
  readonly verb: string;
  readonly danger?: boolean;
  readonly runAction: (filterQuery: FilterQuery) => Promise<void>;
  /** What happens to the URLs. */
  readonly children: ComponentChildren;
}

/** Applies an action to the filtered URLs. If there is no filter, the user must enter a pattern. */
const UrlAction = (props: UrlActionProps): JSX.Element =>
  isFiltered(props.filters) ? <FilterAction {...props} /> : <PatternAction {...props} />;

function FilterAction(props: UrlActionProps): JSX.Element {
  // Ages are relative to now, so they are converted only once: the count and the action must use the same time.
  const [filterQuery] = useState(() => toQuery(props.filters));
  const countResource = useUrlCount(props.crawler, filterQuery);
  return (
    <ConfirmAction {...props} filterQuery={filterQuery} urlCount={countResource.value ?? 0}>
      <dl class="facts">
        {describeFilters(props.filters).map(([name, value]) => (
          <Fragment key={name}>
            <dt>{LABELS[name]}</dt>
            <dd class="mono">{value}</dd>
          </Fragment>
        ))}
      </dl>
      <CountStatus countResource={countResource}>{props.children}</CountStatus>
    </ConfirmAction>
  );
}

function PatternAction(props: UrlActionProps): JSX.Element {
  const [like, setLike] = useState('');
  const debouncedPattern = useDebounced(like);
  const countResource = useUrlCount(props.crawler, like !== '' && like === debouncedPattern ? { like } : undefined);
  return (
    <ConfirmAction {...props} filterQuery={{ like }} urlCount={countResource.value ?? 0}>
      <div class="field">
        <label for="like">URLs that match (* or % for any characters)</label>
        <input id="like" class="mono" required value={like} onInput={(event) => setLike(event.currentTarget.value)} />
      </div>
      {like === '' ? (
        <p>
          Enter a pattern: <code>*/archive/*</code> matches all URLs that contain /archive/, and <code>*</code> alone
          matches all URLs.
        </p>
      ) : (
        <CountStatus countResource={countResource}>{props.children}</CountStatus>
      )}
    </ConfirmAction>
  );
}

/** Enables the action only once it is known that at least one URL matches. */
const ConfirmAction = ({
  title,
  verb,
  danger,
  runAction,
  filterQuery,
  urlCount,
  onClose,
  children,
}: UrlActionProps & { readonly filterQuery: FilterQuery; readonly urlCount: number }): JSX.Element => (
  <ConfirmDialog
    title={title}
    action={urlCount > 0 ? `${verb} ${formatPlural(urlCount, 'URL')}` : verb}
    danger={danger}
    ready={urlCount > 0}
    onConfirm={() => runAction(filterQuery)}
    onClose={onClose}
  >
    {children}
  </ConfirmDialog>
);

function CountStatus({
  countResource: { value, problem, reload },
  children,
}: {
  countResource: Resource<number>;
  children: ComponentChildren;
}): JSX.Element {
  if (problem) return <Failure problem={problem} retry={reload} />;
  if (value === undefined) return <LoadingNotice />;
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

/** Counts the matching URLs. There is no count until something is chosen. */
export function useUrlCount(crawler: string, filterQuery: FilterQuery | undefined): Resource<number> {
  return useResource(
    filterQuery && `count ${crawler} ${JSON.stringify(filterQuery)}`,
    async (signal) =>
      (await call('GET /api/v1/crawlers/{crawler}/urls/count', { path: { crawler }, query: filterQuery, signal }))
        .count,
  );
}
