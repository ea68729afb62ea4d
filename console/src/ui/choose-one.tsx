import type { JSX } from 'preact';
import { Empty } from './answers.js';
import { PageHead } from './panel.js';

/** Shown when a screen about one thing is opened without saying which. */
export const ChooseOne = ({ title, what, list }: { title: string; what: string; list: string }): JSX.Element => (
  <>
    <PageHead title={title} />
    <Empty>
      Which {what}? <a href={list}>Choose one from the list.</a>
    </Empty>
  </>
);
