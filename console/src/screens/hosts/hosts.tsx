import type { JSX } from 'preact';

export const Hosts = (): JSX.Element => <p>soon</p>;
