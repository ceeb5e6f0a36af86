/** What a line of Markdown begins. A terminal reads line by line, a page block by block: both by these. */

export const FENCE = /^\s{0,3}(`{3,}|~{3,})([^`]*)$/
export const HEADING = /^\s{0,3}(#{1,6})[ \t]+(.*)$/
export const RULE = /^\s{0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/
export const LISTED = /^(\s*)([-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/
export const QUOTED = /^\s{0,3}>[ \t]?(.*)$/
