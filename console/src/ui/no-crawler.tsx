import type { JSX } from 'preact';
import { useCrawlers } from '../state/crawlers.js';
import { EmptyState, LoadingNotice } from './answers.js';
import { PageHead } from './panel.js';

/** Shown instead of a crawler's screens until the crawlers are known, or if there are none. */
export function NoCrawler({ title }: { readonly title?: string }): JSX.Element {
  const { value: crawlers } = useCrawlers();
  return (
    <>
      {title && <PageHead title={title} />}
      {crawlers ? (
        <EmptyState>
          The configuration has no crawler yet. <a href="/start">Set up the first crawl.</a>
        </EmptyState>
      ) : (
        <LoadingNotice />
      )}
    </>
  );
}
