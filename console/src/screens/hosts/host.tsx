import type { JSX } from 'preact';

export const Host = (): JSX.Element => <p>soon</p>;
