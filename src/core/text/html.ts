/** A piece of a page. Text becomes one by `html` alone, which escapes it. */
export interface Html {
  readonly html: string
}

type Piece = Html | string | number | null

/** P9: every value is text, unless it is a piece itself or a list of pieces. `null` is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly (Piece | readonly Html[])[]): Html {
  return { html: String.raw({ raw: strings }, ...values.map(written)) }
}

function written(value: Piece | readonly Html[]): string {
  if (value === null) return ''
  if (typeof value !== 'object') return escaped(String(value))
  return 'html' in value ? value.html : value.map(each => each.html).join('')
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => ENTITIES[character] ?? character)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
