import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Content that may be wider than the screen. If it is, it can be focused and scrolled with the keyboard. */
export function ScrollArea({ children }: { children: ComponentChildren }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const [isScrollable, setScrollable] = useState(false);
  useEffect(() => {
    const { current: container } = element;
    if (!container) return;
    const resizeObserver = new ResizeObserver(() => setScrollable(container.scrollWidth > container.clientWidth));
    for (const target of [container, ...container.children]) resizeObserver.observe(target);
    return () => resizeObserver.disconnect();
  }, []);
  return (
    <div ref={element} class="scroll" tabIndex={isScrollable ? 0 : undefined}>
      {children}
    </div>
  );
}
