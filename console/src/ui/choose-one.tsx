import type { JSX } from 'preact';
import { EmptyState } from './answers.js';
import { PageHead } from './panel.js';

/** Shown when a screen for one host or URL is opened without naming it. */
export const ChoicePrompt = ({
  title,
  itemName,
  listPath,
}: {
  title: string;
  itemName: string;
  listPath: string;
}): JSX.Element => (
  <>
    <PageHead title={title} />
    <EmptyState>
      Which {itemName}? <a href={listPath}>Choose one from the list.</a>
    </EmptyState>
  </>
);
