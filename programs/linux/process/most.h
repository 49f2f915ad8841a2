/* How much there may be of pipes, message queues and System V IPC, as calls and /proc/sys say. */
#ifndef LX_MOST_H
#define LX_MOST_H

enum {
    PIPE_BYTES = 65536, /**< [bytes] in a pipe */

    LX_MQ_QUEUES = 256,
    LX_MQ_MESSAGES = 10,
    LX_MQ_BYTES = 8192, /**< [bytes] of a message */

    LX_SEM_SETS = 32000,
    LX_SEM_OF_SET = 32000,
    LX_SEM_OPERATIONS = 500, /**< of a call */

    LX_SHM_SEGMENTS = 4096,

    LX_MSG_QUEUES = 32000,
    LX_MSG_BYTES = 8192,        /**< [bytes] of a message */
    LX_MSG_QUEUE_BYTES = 16384, /**< [bytes] in a queue */
};

#endif
