/** Makes a screenshot small: at most 256 colours, which is what a drawn page has, and the hardest compression. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

interface Picture {
  readonly width: number;
  readonly height: number;
  /** 0xRRGGBB, row by row. */
  readonly pixels: Uint32Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function paletted(png: Buffer, colours = 220): Buffer {
  const { width, height, pixels } = decode(png);
  const palette = mostFrequent(pixels, colours);
  const indexOf = new Map(palette.map((colour, index) => [colour, index]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < pixels.length; at++) {
    const colour = pixels[at]!;
    let index = indexOf.get(colour);
    if (index === undefined) {
      index = nearest(palette, colour);
      indexOf.set(colour, index);
    }
    rows[at + Math.floor(at / width) + 1] = index;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const parts = [chunk('IHDR', header), chunk('PLTE', table), chunk('IDAT', deflateSync(rows, { level: 9 }))];
  return Buffer.concat([SIGNATURE, ...parts, chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8 + body.length);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), frame.length - 4);
  return frame;
}

function mostFrequent(pixels: Uint32Array, colours: number): number[] {
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, colours)
    .map(([colour]) => colour);
}

function nearest(palette: readonly number[], colour: number): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  palette.forEach((one, index) => {
    const distance = [16, 8, 0].reduce(
      (sum, shift) => sum + (((one >> shift) & 255) - ((colour >> shift) & 255)) ** 2,
      0,
    );
    if (distance < least) {
      least = distance;
      best = index;
    }
  });
  return best;
}

/** Reads what Chromium writes: 8 bits a channel, with or without alpha, not interlaced. */
function decode(png: Buffer): Picture {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const bytes = unfilter(inflateSync(Buffer.concat(imageData(png))), width * channels, channels);
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at++) pixels[at] = bytes.readUIntBE(at * channels, 3);
  return { width, height, pixels };
}

function imageData(png: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      found.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return found;
}

/** The five filters of PNG (RFC 2083, section 6). */
function unfilter(raw: Buffer, stride: number, step: number): Buffer {
  const rows = raw.length / (stride + 1);
  const out = Buffer.alloc(rows * stride);
  for (let row = 0; row < rows; row++) {
    const filter = raw[row * (stride + 1)];
    for (let column = 0; column < stride; column++) {
      const at = row * stride + column;
      const left = column >= step ? out[at - step]! : 0;
      const up = row > 0 ? out[at - stride]! : 0;
      const corner = row > 0 && column >= step ? out[at - stride - step]! : 0;
      out[at] = raw[row * (stride + 1) + column + 1]! + predicted(filter!, left, up, corner);
    }
  }
  return out;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
