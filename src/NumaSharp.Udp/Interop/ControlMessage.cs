using System.Runtime.CompilerServices;

namespace NumaSharp.Udp.Interop;

/// <summary>Reads and writes control messages (cmsg(3)) of 64-bit Linux: a header of 16 bytes, and padding to 8.</summary>
internal static unsafe class ControlMessage
{
    public const int HeaderSize = 16;

    /// <summary>CMSG_SPACE: the space taken by a message of that many bytes.</summary>
    public static int SpaceOf(int length) => HeaderSize + ((length + 7) & ~7);

    /// <summary>Finds a message.</summary>
    /// <param name="control">The received control area.</param>
    /// <param name="length">Its length.</param>
    /// <param name="level">The level of the message.</param>
    /// <param name="type">Its type.</param>
    /// <param name="size">The minimum number of bytes.</param>
    /// <returns>Its bytes, or <see langword="null"/>.</returns>
    public static byte* Find(byte* control, nuint length, int level, int type, int size)
    {
        var end = control + length;
        while (end - control >= HeaderSize)
        {
            var whole = *(nuint*)control;
            if (whole < HeaderSize || whole > (nuint)(end - control))
            {
                return null;
            }

            if (*(int*)(control + 8) == level && *(int*)(control + 12) == type && whole >= (nuint)(HeaderSize + size))
            {
                return control + HeaderSize;
            }

            var step = (whole + 7) & ~(nuint)7;
            if (step > (nuint)(end - control))
            {
                return null;
            }

            control += step;
        }

        return null;
    }

    /// <summary>Writes a message.</summary>
    /// <returns>The number of bytes it takes.</returns>
    public static int Write<T>(byte* control, int level, int type, T value)
        where T : unmanaged
    {
        *(nuint*)control = (nuint)(HeaderSize + sizeof(T));
        *(int*)(control + 8) = level;
        *(int*)(control + 12) = type;
        Unsafe.WriteUnaligned(control + HeaderSize, value);
        return SpaceOf(sizeof(T));
    }
}
