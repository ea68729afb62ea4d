/** Reads pictures of text with Tesseract compiled to WebAssembly, which has no access to anything but its own memory. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { DocumentContent, type DocumentRequest, type OcrRequest, Unreadable } from '../document-content.js';

/** A picture in shades of gray, one byte per pixel, row by row. */
export interface GrayPicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

interface Tesseract {
  readonly FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
  readonly TessBaseAPI: new () => TesseractApi;
}

/** See Tesseract's baseapi.h. */
interface TesseractApi {
  Init(dataFolder: string, languages: string, engine: number): number;
  SetPageSegMode(mode: number): void;
  SetImageFile(orientation: number, angle: number): number;
  SetSourceResolution(dotsPerInch: number): void;
  GetUTF8Text(): string;
  MeanTextConf(): number;
  Clear(): void;
}

/** OEM_LSTM_ONLY and PSM_AUTO (publictypes.h). */
const NEURAL_NETWORK = 1;
const WHOLE_PAGE = 3;
/** Percentage below which a page is taken for a picture of something else, whose "text" is noise. */
const MIN_CONFIDENCE = 40;

/** A hyphen at the end of a line, between lower-case letters. */
const WRAPPED_WORD = /(?<=\p{Ll})-\n(?=\p{Ll})/gu;

export class TextRecognizer {
  private constructor(
    private readonly tesseract: Tesseract,
    private readonly api: TesseractApi,
  ) {}

  static async load({ program, data, languages }: OcrRequest): Promise<TextRecognizer> {
    const create = createRequire(import.meta.url)(program) as (options: object) => Promise<Tesseract>;
    const ignore = (): void => undefined;
    const wasmBinary = readFileSync(program.replace(/\.js$/, '.wasm'));
    const tesseract = await create({ wasmBinary, print: ignore, printErr: ignore, TesseractProgress: ignore });
    for (const [index, language] of languages.entries())
      tesseract.FS.writeFile(`/${language}.traineddata`, gunzipSync(readFileSync(data[index]!)));
    const api = new tesseract.TessBaseAPI();
    if (api.Init('/', languages.join('+'), NEURAL_NETWORK) !== 0) throw new Error('Tesseract could not be started');
    api.SetPageSegMode(WHOLE_PAGE);
    return new TextRecognizer(tesseract, api);
  }

  /** @returns an empty string if there is no text in the picture */
  recognize({ width, height, pixels }: GrayPicture, dotsPerInch: number): string {
    const file = Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), pixels]);
    return this.recognizeFile(file, dotsPerInch) ?? '';
  }

  /**
   * @param file PNG, JPEG, TIFF or PNM
   * @param dotsPerInch estimated if it is missing
   * @returns undefined if the picture is damaged
   */
  recognizeFile(file: Uint8Array, dotsPerInch?: number): string | undefined {
    const { tesseract, api } = this;
    tesseract.FS.writeFile('/input', file);
    try {
      if (api.SetImageFile(0, 0) !== 0) return undefined;
      if (dotsPerInch !== undefined) api.SetSourceResolution(dotsPerInch);
      const text = api.GetUTF8Text();
      return api.MeanTextConf() < MIN_CONFIDENCE ? '' : text.replace(WRAPPED_WORD, '');
    } finally {
      api.Clear();
      tesseract.FS.unlink('/input');
    }
  }
}

/**
 * Reads a document that is a picture: a page that was scanned or photographed.
 * @param recognizer reads the picture, if the request wants that
 */
export function readPicture(body: Uint8Array, request: DocumentRequest, recognizer?: TextRecognizer): DocumentContent {
  const content = new DocumentContent(request);
  if (!recognizer) {
    content.shortfall = { reason: 'no-text-layer', detail: 'the document is a picture' };
    return content;
  }
  const text = recognizer.recognizeFile(body);
  if (text === undefined) throw new Unreadable('extract-corrupt', 'the picture is damaged');
  content.addText(text);
  content.ocrPages = 1;
  content.addField('pages_read_by_ocr', '1');
  content.shortfall = { reason: 'text-by-ocr', detail: 'the picture was read by character recognition' };
  return content;
}
