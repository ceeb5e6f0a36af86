import type { Hold } from '../hold/hold.ts'
import { previewLines } from '../hold-view/preview-lines.ts'

/** A preview, as far as words can show it. */
export interface PreviewInWords {
  /** In full; `null` if there is none. */
  readonly text: string | null
  /** False if it has an image, which words cannot show. */
  readonly isWhole: boolean
}

/** P9: an approval is of the preview too, so a message shows it, or offers no approval. */
export function previewInWords(hold: Pick<Hold, 'preview'> | null): PreviewInWords {
  const preview = hold?.preview
  if (!preview) return { text: null, isWhole: true }
  const text = previewLines(preview)
    .map(line => line.text)
    .join('\n')
  return { text, isWhole: preview.parts.every(({ type }) => type !== 'image') }
}
