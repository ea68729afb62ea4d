import type { JSX } from 'preact';

export const FirstRun = (): JSX.Element => <p>soon</p>;
