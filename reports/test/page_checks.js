// What can be measured on a page as it is shown: evaluated in the page by browser.py.
(() => {
  const say = (node) => node.textContent.trim().slice(0, 60);
  const isShown = (node) => {
    const box = node.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && getComputedStyle(node).visibility !== 'hidden';
  };

  // ---- geometry

  /** Elements that stick out to the right of the window and lie in no box that scrolls. */
  const sticksOut = () => {
    const wide = window.innerWidth + 0.5;
    return [...document.body.querySelectorAll('*')]
      .filter((node) => !node.closest('.scroll') && !node.closest('svg') && isShown(node) &&
                        node.getBoundingClientRect().right > wide)
      .map((node) => `${node.tagName} ${say(node)}`);
  };

  const inside = (box, frame, slack) => box.left >= frame.left - slack &&
    box.right <= frame.right + slack && box.top >= frame.top - slack &&
    box.bottom <= frame.bottom + slack;
  const meets = (a, b, slack) => a.left + slack < b.right && b.left + slack < a.right &&
    a.top + slack < b.bottom && b.top + slack < a.bottom;

  /** The box that a clip path leaves of its content, in the window. */
  const clipOf = (node) => {
    const clipped = node.closest('[clip-path]');
    if (!clipped) return null;
    const id = /#([^)"]+)/.exec(clipped.getAttribute('clip-path'))[1];
    const rect = document.getElementById(id).firstElementChild;
    const svg = node.ownerSVGElement;
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const frame = svg.getBoundingClientRect();
    const left = frame.left + rect.x.baseVal.value * scale;
    return { left, right: left + rect.width.baseVal.value * scale, top: frame.top,
             bottom: frame.bottom };
  };

  const shownTexts = (svg) => [...svg.querySelectorAll('text')].filter((text) => {
    const clip = clipOf(text);
    return isShown(text) && (!clip || meets(text.getBoundingClientRect(), clip, 0));
  });

  /** Texts of drawings that end at an edge: of the drawing, or of what is clipped. */
  const cutTexts = () => [...document.querySelectorAll('svg[role=img]')].flatMap((svg) =>
    shownTexts(svg).filter((text) => {
      const box = text.getBoundingClientRect();
      const clip = clipOf(text);
      return !inside(box, svg.getBoundingClientRect(), 1) || (clip && !inside(box, clip, 1.5));
    }).map((text) => `${svg.getAttribute('aria-label').slice(0, 30)}: ${say(text)}`));

  /** Texts of one drawing that are written over each other. Line boxes may touch, not letters. */
  const crossedTexts = () => [...document.querySelectorAll('svg[role=img]')].flatMap((svg) => {
    const texts = shownTexts(svg).map((text) => [text, text.getBoundingClientRect()])
      .sort((a, b) => a[1].left - b[1].left);
    const found = [];
    texts.forEach(([text, box], k) => {
      for (let j = k + 1; j < texts.length && texts[j][1].left < box.right; ++j) {
        if (meets(box, texts[j][1], 4)) found.push(`${say(text)} / ${say(texts[j][0])}`);
      }
    });
    return found;
  });

  // ---- colours

  /** Red, green, blue from 0 to 1, and how much of it covers. */
  const colour = (text) => {
    if (!text || text === 'none' || text === 'transparent' || text.startsWith('url')) return null;
    const parts = text.match(/[\d.]+(e-?\d+)?/g).map(Number);
    const most = text.startsWith('color(') ? 1 : 255;
    const alpha = parts.length > 3 ? parts[3] : 1;
    return alpha === 0 ? null : [parts[0] / most, parts[1] / most, parts[2] / most, alpha];
  };
  const over = (top, bottom, alpha) => [0, 1, 2].map((c) => top[c] * alpha + bottom[c] *
                                                              (1 - alpha));
  const luminance = (rgb) => rgb.slice(0, 3)
    .map((c) => c <= 0.03928 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4))
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };

  const groundOf = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const found = colour(getComputedStyle(at).backgroundColor);
      if (found) return found;
    }
    return [1, 1, 1, 1];
  };

  /** What is painted behind the middle of a text of a drawing: later shapes lie over earlier. */
  const groundInDrawing = (text, shapes) => {
    const box = text.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    let ground = groundOf(text.ownerSVGElement);
    for (const { node, at, fill, opacity } of shapes) {
      if (!(node.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      if (at.left <= x && x <= at.right && at.top <= y && y <= at.bottom) {
        ground = over(fill, ground, fill[3] * opacity);
      }
    }
    return ground;
  };

  const faintTexts = () => {
    const found = [];
    let least = 21;
    const look = (node, ink, ground) => {
      const ratio = contrast(over(ink, ground, ink[3]), ground);
      least = Math.min(least, ratio);
      if (ratio < 4.5) found.push(`${ratio.toFixed(2)}: ${say(node)}`);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const seen = new Set();
    while (walker.nextNode()) {
      const node = walker.currentNode.parentElement;
      if (seen.has(node) || !walker.currentNode.data.trim() || node.closest('svg, script, style') ||
          !isShown(node)) continue;
      seen.add(node);
      look(node, colour(getComputedStyle(node).color), groundOf(node));
    }
    for (const svg of document.querySelectorAll('svg[role=img]')) {
      const shapes = [...svg.querySelectorAll('rect, path, polygon')]
        .filter((node) => !node.closest('clipPath, defs'))
        .map((node) => ({ node, at: node.getBoundingClientRect(),
                          fill: colour(getComputedStyle(node).fill),
                          opacity: Number(getComputedStyle(node).fillOpacity) }))
        .filter((shape) => shape.fill);
      for (const text of shownTexts(svg)) {
        look(text, colour(getComputedStyle(text).fill), groundInDrawing(text, shapes));
      }
    }
    return { found, least };
  };

  const faint = faintTexts();
  return {
    innerWidth: window.innerWidth,
    scrollWidth: document.documentElement.scrollWidth,
    dark: matchMedia('(prefers-color-scheme: dark)').matches,
    violation_bottom: (document.querySelector('.beside') || document.body)
      .getBoundingClientRect().bottom + window.scrollY,
    sticks_out: sticksOut(),
    cut: cutTexts(),
    crossed: crossedTexts(),
    faint: faint.found,
    least_contrast: faint.least,
  };
})()
