import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Content that may be wider than the screen; if it is, it can be focused and scrolled with the keyboard. */
export function ScrollArea({ children }: { children: ComponentChildren }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const { current: box } = element;
    if (!box) return;
    const sizes = new ResizeObserver(() => setScrolls(box.scrollWidth > box.clientWidth));
    for (const part of [box, ...box.children]) sizes.observe(part);
    return () => sizes.disconnect();
  }, []);
  return (
    <div ref={element} class="scroll" tabIndex={scrolls ? 0 : undefined}>
      {children}
    </div>
  );
}
