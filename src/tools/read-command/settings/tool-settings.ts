/** Options and settings by which npm and pytest run what their words do not tell. Words are joined by newlines. */

const NPM_OPTION = /^--(scr|node-o|userc|globalc|init[-.]m|(git|editor|viewer)(=|$))/
const NPM_KEY =
  /^(script-shell|node-options|userconfig|globalconfig|shell|git|editor|viewer|browser|init[-.]module)(=|$)/
const NPM_SETS = /^(c|config|set)$/
const PACKAGE_KEY = /^(scripts|bin)[=[]/

/** True if npm takes its shell, options of node, or settings from elsewhere, or is told to do so from now on. */
export function npmRunsUnread(joined: string): boolean {
  const words = joined.split('\n')
  // The rest is for the script.
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  const isSet = own.some(word => NPM_SETS.test(word)) && own.some(word => NPM_KEY.test(word))
  const isPackage = own.includes('pkg') && own.some(word => PACKAGE_KEY.test(word))
  return isSet || isPackage || own.some(word => NPM_OPTION.test(word))
}

/** The same of `npx`, whose own options stand before the name of the program. */
export function npxRunsUnread(joined: string): boolean {
  const words = joined.split('\n')
  const end = words.findIndex(word => !word.startsWith('-'))
  return words.slice(0, end < 0 ? words.length : end).some(word => NPM_OPTION.test(word))
}

/**
 * A plugin, another file of settings, or a setting that names either; `-p no:x` leaves a plugin out. The directory of
 * `--basetemp` is emptied.
 */
const PYTEST_OPTION =
  /\n(?:-p\n?(?!no:|xdist)[^\n]|(?:-c\n?|--config-f[a-z]*[=\n])(?!(?:\/dev\/null|pytest\.ini|pyproject\.toml|tox\.ini|setup\.cfg)(?:\n|$))[^\n]|--baset[a-z]*[=\n](?!\/tmp\/)|(?:-o\n?|--override-ini[=\n])(?:addopts=[^\n]*-|python_files=|pythonpath=))/
const PYTEST_AS_MODULE = /(?:^|\n)-[A-Za-z]*m\n?pytest(?=\n|$)/

export function pytestRunsUnread(joined: string): boolean {
  return PYTEST_OPTION.test(`\n${joined}`)
}

/** `python3 -m pytest` is `pytest`. */
export function pythonRunsUnread(joined: string): boolean {
  const found = PYTEST_AS_MODULE.exec(joined)
  return found !== null && PYTEST_OPTION.test(joined.slice(found.index + found[0].length))
}
