import type { JSX } from 'preact';

export const Sources = (): JSX.Element => <p>soon</p>;
