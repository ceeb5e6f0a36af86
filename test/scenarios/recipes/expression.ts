/** The expressions of GitHub Actions, as far as the recipes use them: anything else fails. */

export type Contexts = Readonly<Record<string, unknown>>

const TOKEN = /\s*(?:('(?:[^']|'')*')|(&&|\|\||==|!=|!|\(|\))|([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*))/y

/** `${{ … }}` anywhere in a text. */
export function filledIn(text: string, contexts: Contexts): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => String(evaluated(expression, contexts)))
}

/** An `if:`, with or without `${{ }}` around all of it. */
export function holds(condition: string, contexts: Contexts): boolean {
  const [, inner = condition] = /^\s*\$\{\{(.*)\}\}\s*$/s.exec(condition) ?? []
  return isTrue(evaluated(inner, contexts))
}

function evaluated(expression: string, contexts: Contexts): unknown {
  const reader = new Reader(expression, contexts)
  const value = reader.either()
  reader.end()
  return value
}

class Reader {
  readonly #tokens: string[] = []
  readonly #text: string
  readonly #contexts: Contexts
  #at = 0

  constructor(text: string, contexts: Contexts) {
    this.#text = text
    this.#contexts = contexts
    TOKEN.lastIndex = 0
    while (TOKEN.lastIndex < text.trimEnd().length) {
      const [, string, operator, name] = TOKEN.exec(text) ?? this.#fail()
      this.#tokens.push(string ?? operator ?? name ?? '')
    }
  }

  either(): unknown {
    let value = this.#both()
    while (this.#take('||')) {
      const other = this.#both()
      value = isTrue(value) ? value : other
    }
    return value
  }

  #both(): unknown {
    let value = this.#compared()
    while (this.#take('&&')) {
      const other = this.#compared()
      value = isTrue(value) ? other : value
    }
    return value
  }

  #compared(): unknown {
    const value = this.#single()
    // As there: text is compared without its case.
    if (this.#take('==')) return same(value, this.#single())
    if (this.#take('!=')) return !same(value, this.#single())
    return value
  }

  #single(): unknown {
    if (this.#take('!')) return !isTrue(this.#single())
    if (this.#take('(')) {
      const value = this.either()
      if (!this.#take(')')) this.#fail()
      return value
    }
    const token = this.#tokens[this.#at++] ?? this.#fail()
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'")
    return token === 'cancelled' ? this.#never() : this.#lookUp(token)
  }

  /** `cancelled()`: nobody cancels what is played. */
  #never(): boolean {
    return this.#take('(') && this.#take(')') ? false : this.#fail()
  }

  /** What a known context does not have is empty; an unknown context is a mistake. */
  #lookUp(path: string): unknown {
    const [context = '', ...keys] = path.split('.')
    if (!Object.hasOwn(this.#contexts, context) || keys.length === 0) this.#fail()
    const found = keys.reduce<unknown>(
      (value, key) => (value as Record<string, unknown> | undefined)?.[key],
      this.#contexts[context],
    )
    if (context === 'github' && found === undefined) this.#fail()
    return found ?? ''
  }

  #take(token: string): boolean {
    const isNext = this.#tokens[this.#at] === token
    if (isNext) this.#at += 1
    return isNext
  }

  end(): void {
    if (this.#at < this.#tokens.length) this.#fail()
  }

  #fail(): never {
    throw new Error(`this expression is not known here: ${this.#text}`)
  }
}

function isTrue(value: unknown): boolean {
  return value !== '' && value !== false
}

function same(one: unknown, other: unknown): boolean {
  return String(one).toLowerCase() === String(other).toLowerCase()
}
