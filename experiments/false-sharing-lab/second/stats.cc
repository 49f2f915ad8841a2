// A connection with a sending and a receiving thread; each counts in an atomic member of its own.
#include "shown.h"

#include <atomic>
#include <thread>

namespace
{

class Connection
{
  public:
    void send(unsigned bytes)
    {
        packets_sent += 1;   /* shares: connection */
        bytes_sent += bytes; /* shares: connection */
    }
    void receive(unsigned bytes)
    {
        packets_received += 1;   /* shares: connection */
        bytes_received += bytes; /* shares: connection */
    }
    bool balanced(unsigned packets) const
    {
        return packets_sent == packets && packets_received == packets &&
               bytes_sent == bytes_received;
    }

  private:
    APART std::atomic<unsigned> packets_sent{0};
    std::atomic<unsigned> bytes_sent{0};
    APART std::atomic<unsigned> packets_received{0};
    std::atomic<unsigned> bytes_received{0};
};

LINE_ALIGNED Connection connection;

constexpr unsigned packets = 2000;

} // namespace

int main()
{
    std::thread sender([] {
        for (unsigned i = 0; i < packets; i++)
            connection.send(40 + i % 1460);
    });
    std::thread receiver([] {
        for (unsigned i = 0; i < packets; i++)
            connection.receive(40 + i % 1460);
    });
    sender.join();
    receiver.join();
    SHOW(connection);
    puts(connection.balanced(packets) ? "balanced" : "not balanced");
    return connection.balanced(packets) ? 0 : 1;
}
