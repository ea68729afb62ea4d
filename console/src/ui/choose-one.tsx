import type { JSX } from 'preact';
import { EmptyState } from './answers.js';
import { PageHead } from './panel.js';

/** Shown when a screen about one thing is opened without saying which. */
export const ChoicePrompt = ({ title, what, list }: { title: string; what: string; list: string }): JSX.Element => (
  <>
    <PageHead title={title} />
    <EmptyState>
      Which {what}? <a href={list}>Choose one from the list.</a>
    </EmptyState>
  </>
);
