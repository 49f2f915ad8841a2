/* Names of C++ as people write them. */
#ifndef LX_DEMANGLE_H
#define LX_DEMANGLE_H

/** "lab::Counter::bump(unsigned int)" of "_ZN3lab7Counter4bumpEj".
 *  @return the caller's; NULL: it is no such name */
char *lx_demangle(const char *name);

/** "Cache<std::string, std::map<int, Node>>::hits": without the arguments of the library's
 * templates that are so by default, which nobody writes. @param name  is shortened in its place */
void lx_plain_templates(char *name);

#endif
