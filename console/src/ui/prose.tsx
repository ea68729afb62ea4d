import type { JSX } from 'preact';

/** A text from the server, with everything between backticks formatted as code. */
export const Prose = ({ text }: { text: string }): JSX.Element => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);
