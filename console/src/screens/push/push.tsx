import type { JSX } from 'preact';

export const Push = (): JSX.Element => <p>soon</p>;
