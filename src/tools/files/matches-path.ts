import { matchesGlob } from '../../core/policy/glob.ts'

const MOST_ALTERNATIVES = 64

/**
 * The globs that models write: `*` within a name, `**` over any number of directories, `{a,b}` for either. A pattern
 * without a slash is about the name alone, at any depth. No pattern takes long.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const names = path.split('/')
  return alternatives(pattern).some(each => {
    const anchored = each.includes('/') ? each.replace(/^\.?\//, '') : `**/${each}`
    return matchesNames(anchored.split('/'), names)
  })
}

/** Keeps how many names may be used up so far, instead of trying one way after another. */
function matchesNames(patterns: readonly string[], names: readonly string[]): boolean {
  let used = [0]
  for (const pattern of patterns) {
    used =
      pattern === '**'
        ? names
            .map((_, count) => count)
            .concat(names.length)
            .slice(used[0] ?? names.length + 1)
        : used.filter(count => count < names.length && matchesGlob(pattern, names[count] ?? '')).map(count => count + 1)
  }
  return used.includes(names.length)
}

function alternatives(pattern: string): string[] {
  let found = [pattern]
  while (found.length < MOST_ALTERNATIVES && found.some(each => BRACES.test(each))) {
    found = found.flatMap(each => {
      const [whole, start = '', choices = '', end = ''] = BRACES.exec(each) ?? []
      return whole === undefined ? [each] : choices.split(',').map(choice => start + choice + end)
    })
  }
  return found
}

const BRACES = /^(.*?)\{([^{}]*)\}(.*)$/s
