import type { ComponentChildren, JSX } from 'preact';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain';

export function Badge({
  tone,
  children,
  title,
}: {
  tone: Tone;
  children: ComponentChildren;
  title?: string;
}): JSX.Element {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  running: 'good',
  indexed: 'good',
  document: 'good',
  unchanged: 'good',
  acknowledged: 'good',
  ready: 'good',
  accept: 'good',
  paused: 'warn',
  held: 'warn',
  waiting: 'info',
  pending: 'info',
  redirected: 'plain',
  redirect: 'plain',
  visited: 'plain',
  excluded: 'warn',
  elsewhere: 'warn',
  filtered: 'warn',
  error: 'bad',
  removed: 'bad',
  refused: 'bad',
  unavailable: 'bad',
  reject: 'bad',
};

/** A state in its color, and as text for users who cannot see colors. */
export function StateBadge({ name, title }: { name: string; title?: string }): JSX.Element {
  return (
    <Badge tone={TONES[name] ?? 'plain'} title={title}>
      {name}
    </Badge>
  );
}

/** The outcome of a visit. Codes without a color of their own are errors, and have the color of failures. */
export function OutcomeBadge({ code }: { code: string }): JSX.Element {
  return <Badge tone={TONES[code] ?? 'bad'}>{code}</Badge>;
}
