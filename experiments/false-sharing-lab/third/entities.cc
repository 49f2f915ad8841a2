// A game: one thread moves the entities, another decides what they feel. Both write to the same
// structures.
#include "shown.h"
#include <memory>
#include <thread>

namespace
{

constexpr unsigned ENTITIES = 6, FRAMES = 200;

struct Body {
    int x = 0, y = 0, vx = 1, vy = 1;
};

struct Mind {
    int anger = 0, fear = 0;
    unsigned goal = 0;
};

struct Entity {
    unsigned id = 0;
    APART Body body;
    APART Mind mind;
};

class World
{
  public:
    World() : entities(make(ENTITIES))
    {
    }
    void physics()
    {
        for (unsigned f = 0; f < FRAMES; f++)
            for (unsigned i = 0; i < ENTITIES; i++)
                move(entities[i].body, f + i);
    }
    void feelings()
    {
        for (unsigned f = 0; f < FRAMES; f++)
            for (unsigned i = 0; i < ENTITIES; i++)
                feel(entities[i].mind, f * ENTITIES + i);
    }
    void show() const
    {
        shown("make()", entities.get(), ENTITIES * sizeof(Entity));
    }
    bool right() const
    {
        bool good = true;
        for (unsigned i = 0; i < ENTITIES; i++) {
            Body b;
            Mind m;
            for (unsigned f = 0; f < FRAMES; f++) {
                move(b, f + i);
                feel(m, f * ENTITIES + i);
            }
            const Entity &e = entities[i];
            good = good && b.x == e.body.x && b.y == e.body.y && m.anger == e.mind.anger;
            good = good && m.goal == e.mind.goal && e.id == i;
        }
        return good;
    }

  private:
    std::unique_ptr<Entity[]> entities;

    static ALONE std::unique_ptr<Entity[]> make(unsigned n)
    {
        std::unique_ptr<Entity[]> all(new Entity[n]);
        for (unsigned i = 0; i < n; i++)
            all[i].id = i;
        return all;
    }
    static ALONE void move(Body &b, unsigned force)
    {
        for (unsigned k = 0; k < 6; k++)
            force = force * 69069u + k;
        b.vx += int(force >> 30) - 1;     // shares: make()
        b.vy += int(force >> 28 & 3) - 1; // shares: make()
        b.x += b.vx;                      // shares: make()
        b.y += b.vy;                      // shares: make()
    }
    static ALONE void feel(Mind &m, unsigned sight)
    {
        for (unsigned k = 0; k < 6; k++)
            sight = sight * 1664525u + k;
        m.anger += int(sight >> 29) - 3;       // shares: make()
        m.fear = m.anger > 0 ? 0 : m.fear + 1; // shares: make()
        m.goal ^= sight >> 20;                 // shares: make()
    }
};

} // namespace

int main(int argc, char **argv)
{
    if (threads_asked(argc, argv, 2) != 2)
        return 2;
    World world;
    world.show();
    std::thread moving(&World::physics, &world), feeling(&World::feelings, &world);
    moving.join();
    feeling.join();
    printf("%s\n", world.right() ? "right" : "wrong");
    return world.right() ? 0 : 1;
}
