import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { type Resource, useResource } from '../../state/resource.js';
import { useDebounced } from '../../state/rested.js';
import { Failure, LoadingNotice } from '../../ui/answers.js';
import { ConfirmDialog } from '../../ui/dialog.js';
import { formatCount, formatPlural } from '../../ui/format.js';
import { showNotice } from '../../ui/notices.js';
import { restingHostsText } from '../../ui/resting.js';
import { type Choice, type Filters, filterTexts, isFiltered, LABELS, toQuery } from './filters.js';

interface ActionProps {
  readonly crawler: string;
  readonly filters: Filters;
  readonly onClose: () => void;
}

export function RefreshUrlsButton(props: ActionProps): JSX.Element {
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
    <UrlAction {...props} title="Refresh URLs now" verb="Refresh" act={refresh}>
      The URLs become due at once and are visited as soon as politeness allows. Nothing is deleted.
    </UrlAction>
  );
}

export function ClearUrlsButton(props: ActionProps): JSX.Element {
  const { crawler } = props;
  const clear = async (choice: Choice): Promise<void> => {
    const { count: cleared } = await call('DELETE /api/v1/crawlers/{crawler}/urls', {
      path: { crawler },
      query: { ...choice, confirm: true },
    });
    showNotice(`${formatPlural(cleared, 'URL')} of ${crawler} removed; deletions for their documents are on the way.`);
  };
  return (
    <UrlAction {...props} title="Remove URLs" verb="Remove" danger act={clear}>
      The URLs are forgotten, and <strong>their documents are removed from the index</strong>. The crawler may
      rediscover them through links.
    </UrlAction>
  );
}

interface UrlActionProps extends ActionProps {
  readonly title: string;
  readonly verb: string;
  readonly danger?: boolean;
  readonly act: (choice: Choice) => Promise<void>;
  /** What happens to the URLs. */
  readonly children: ComponentChildren;
}

/** Applies an action to the listed URLs. Without a filter, a pattern is required: omitting it never means all URLs. */
const UrlAction = (props: UrlActionProps): JSX.Element =>
  isFiltered(props.filters) ? <FilterAction {...props} /> : <PatternAction {...props} />;

function FilterAction(props: UrlActionProps): JSX.Element {
  // An age is counted back from now, which must be the same time for the count and for the action.
  const [choice] = useState(() => toQuery(props.filters));
  const counted = useUrlCount(props.crawler, choice);
  return (
    <ConfirmAction {...props} choice={choice} number={counted.value ?? 0}>
      <dl class="facts">
        {filterTexts(props.filters).map(([name, words]) => (
          <Fragment key={name}>
            <dt>{LABELS[name]}</dt>
            <dd class="mono">{words}</dd>
          </Fragment>
        ))}
      </dl>
      <CountStatus counted={counted}>{props.children}</CountStatus>
    </ConfirmAction>
  );
}

function PatternAction(props: UrlActionProps): JSX.Element {
  const [like, setLike] = useState('');
  const rested = useDebounced(like);
  const counted = useUrlCount(props.crawler, like !== '' && like === rested ? { like } : undefined);
  return (
    <ConfirmAction {...props} choice={{ like }} number={counted.value ?? 0}>
      <div class="field">
        <label for="like">URLs like (* or % for any characters)</label>
        <input id="like" class="mono" required value={like} onInput={(event) => setLike(event.currentTarget.value)} />
      </div>
      {like === '' ? (
        <p>
          Enter a pattern: <code>*/archive/*</code> means all that contain /archive/, <code>*</code> alone means all.
        </p>
      ) : (
        <CountStatus counted={counted}>{props.children}</CountStatus>
      )}
    </ConfirmAction>
  );
}

/** The action is only available once the server has said how many URLs match. */
const ConfirmAction = ({
  title,
  verb,
  danger,
  act,
  choice,
  number,
  onClose,
  children,
}: UrlActionProps & { readonly choice: Choice; readonly number: number }): JSX.Element => (
  <ConfirmDialog
    title={title}
    action={number > 0 ? `${verb} ${formatPlural(number, 'URL')}` : verb}
    danger={danger}
    ready={number > 0}
    onConfirm={() => act(choice)}
    onClose={onClose}
  >
    {children}
  </ConfirmDialog>
);

function CountStatus({
  counted: { value, problem, reload },
  children,
}: {
  counted: Resource<number>;
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

/** Counts the URLs that match; unknown until something is chosen. */
export function useUrlCount(crawler: string, choice: Choice | undefined): Resource<number> {
  return useResource(
    choice && `count ${crawler} ${JSON.stringify(choice)}`,
    async (signal) =>
      (await call('GET /api/v1/crawlers/{crawler}/urls/count', { path: { crawler }, query: choice, signal })).count,
  );
}
