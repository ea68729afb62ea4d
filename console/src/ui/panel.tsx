import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { useRoute } from '../state/route.js';
import { getHelpLink } from './help.js';

interface PanelProps {
  readonly title: string;
  /** Content beside the title: a number, a filter, a button. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
}

export function Panel({ title, aside, children, class: extraClass = '' }: PanelProps): JSX.Element {
  const id = useId();
  return (
    <section class={`panel ${extraClass}`} aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id}>{title}</h2>
        {aside && <div class="panel-aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

interface PageHeadProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** The title of a screen, one sentence about its purpose, and its actions. */
export function PageHead({ title, children, actions }: PageHeadProps): JSX.Element {
  const { path } = useRoute();
  return (
    <header class="page-head">
      <div>
        <h1>{title}</h1>
        <p class="lead">
          {children}{' '}
          <a href={getHelpLink(path)} data-leave target="_blank" rel="noopener">
            Help
          </a>
        </p>
      </div>
      {actions && <div class="actions">{actions}</div>}
    </header>
  );
}
