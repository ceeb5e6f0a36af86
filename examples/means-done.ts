/** What people say of a draft when nothing is to be changed. */
const DONE: readonly string[] = [
  ...['done', 'perfect', 'excellent', 'great', 'lgtm', 'approved', 'ship it', 'all good', 'love it', 'i love it'],
  ...[
    'looks good',
    'looks great',
    'looks perfect',
    'looks good to me',
    'it looks good',
    "it's perfect",
    'it is perfect',
  ],
  ...['no changes', 'no more changes', 'nothing to change', "that's it", 'good as it is', 'keep it as it is'],
]

const THANKS: readonly string[] = ['', ' thanks', ', thanks', ' thank you', ', thank you']

const ANSWERS: ReadonlySet<string> = new Set(DONE.flatMap(said => THANKS.map(thanks => `${said}${thanks}`)))

/**
 * Whether feedback ends a dialogue. The whole of it is looked up: "nothing looks good here" has the words of praise in
 * it, and "looks good but make it shorter" begins with them.
 */
export function meansDone(feedback: string): boolean {
  const said = feedback
    .trim()
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[.!]+$/, '')
  return ANSWERS.has(said)
}
