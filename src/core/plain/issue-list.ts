/** One thing that does not fit, and its place. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** The parts of one line of issues, each with its place below `root`: `arguments.n: must be a number; arguments.m: …`. */
export function issueList(issues: string, root: string): Issue[] {
  return issues.split(new RegExp(`; (?=${root}\\b)`)).map(issue => {
    const [, path = root, message = issue] = /^(\S+?):\s(.*)$/s.exec(issue) ?? []
    return { path, message }
  })
}
