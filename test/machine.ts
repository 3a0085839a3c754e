/** This machine, as the sandbox sees it. */

export const MACHINE = {
  platform: process.platform,
  architecture: process.arch,
  uid: process.getuid?.() ?? -1,
  path: process.env.PATH ?? '',
  programs: {},
};
