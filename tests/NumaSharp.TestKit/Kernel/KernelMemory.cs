using System.Globalization;
using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.TestKit;

/// <summary>
/// Whether this kernel lets this process place memory, by system calls of the tests' own: a container's seccomp profile may
/// refuse them, and older kernels do not know all of them. The library's own answer is what the tests are about.
/// </summary>
public static unsafe partial class KernelMemory
{
    /// <summary>MPOL_PREFERRED.</summary>
    public const int Preferred = 1;

    /// <summary>MPOL_PREFERRED_MANY, since Linux 5.15.</summary>
    public const int PreferredMany = 5;

    /// <summary>MPOL_WEIGHTED_INTERLEAVE, since Linux 6.9.</summary>
    public const int WeightedInterleave = 6;

    private const int NoPolicy = 0xFFF;

    private const nuint PageSize = 4096;

    // PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS.
    private const int ReadWrite = 3;
    private const int PrivateAnonymous = 0x22;

    private static readonly bool s_isArm64 = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    /// <summary>The error of mbind(2) with a policy that every kernel knows; <see langword="null"/> where it works.</summary>
    public static string? BindRefusal => RefusalOf(Preferred);

    /// <summary>The error of move_pages(2), which returns a page's node; <see langword="null"/> where it works.</summary>
    public static string? QueryRefusal => OnAPage(static page =>
    {
        var pages = (void*)page;
        var status = 0;
        return SystemCall(s_isArm64 ? 239 : 279, 0, 1, (nint)(&pages), 0, (nint)(&status), 0);
    });

    /// <summary>
    /// The error of set_mempolicy(2), which places all memory of a thread; <see langword="null"/> where it works. Asked for a
    /// policy that does not exist: a kernel that would set one says so, and the thread keeps its own.
    /// </summary>
    public static string? SetPolicyRefusal
    {
        get
        {
            var answer = OnAPage(static _ => SystemCall(s_isArm64 ? 237 : 238, NoPolicy, 0, 0, 0, 0, 0));
            return answer == nameof(Errno.EINVAL) ? null : answer;
        }
    }

    /// <summary>The error of set_mempolicy_home_node(2), since Linux 5.17; <see langword="null"/> where it works.</summary>
    public static string? HomeNodeRefusal => OnAPage(static page =>
    {
        var bound = Bind(page, PreferredMany);
        return bound < 0 ? bound : SystemCall(450, page, (nint)PageSize, Node, 0, 0, 0);
    });

    /// <summary>
    /// How often, since the start of the machine, a page fault of any process should have got a huge page and the kernel had none
    /// (THP_FAULT_FALLBACK).
    /// </summary>
    public static long HugePageShortages
    {
        get
        {
            const string Key = "thp_fault_fallback ";
            var line = File.ReadLines("/proc/vmstat")
                .FirstOrDefault(static line => line.StartsWith(Key, StringComparison.Ordinal));
            return line is null ? 0 : long.Parse(line[Key.Length..], CultureInfo.InvariantCulture);
        }
    }

    // One whose memory this process may use.
    private static int Node
    {
        get
        {
            const string Key = "Mems_allowed_list:";
            var line = File.ReadLines("/proc/self/status")
                .FirstOrDefault(static line => line.StartsWith(Key, StringComparison.Ordinal));
            return line is null ? 0 : int.Parse(line[Key.Length..].Split('-', ',')[0], CultureInfo.InvariantCulture);
        }
    }

    /// <summary>The error of mbind(2) with a policy; <see langword="null"/> where it works.</summary>
    public static string? RefusalOf(int policy) => OnAPage(page => Bind(page, policy));

    /// <summary>Calls with an address aligned to 2 MiB that this much memory follows, which is advised MADV_HUGEPAGE.</summary>
    public static T OnHugeAdvised<T>(Func<nint, T> use)
    {
        const nint HugePage = 2 << 20;
        const int HugePageAdvice = 14;
        ArgumentNullException.ThrowIfNull(use);
        var start = Map(0, (nuint)(2 * HugePage), ReadWrite, PrivateAnonymous, -1, 0);
        Assert.NotEqual(-1, start);
        try
        {
            // Fails where the kernel has no transparent huge pages, and then none is given.
            var aligned = (start + HugePage - 1) & -HugePage;
            _ = Advise(aligned, (nuint)HugePage, HugePageAdvice);
            return use(aligned);
        }
        finally
        {
            _ = Unmap(start, (nuint)(2 * HugePage));
        }
    }

    private static string? OnAPage(Func<nint, nint> call)
    {
        if (!OperatingSystem.IsLinux())
        {
            return "not Linux";
        }

        var page = Map(0, PageSize, ReadWrite, PrivateAnonymous, -1, 0);
        Assert.NotEqual(-1, page);
        try
        {
            return call(page) >= 0 ? null : NameOf(Marshal.GetLastPInvokeError());
        }
        finally
        {
            _ = Unmap(page, PageSize);
        }
    }

    private static string NameOf(int error) => error switch
    {
        Errno.EPERM => nameof(Errno.EPERM),
        Errno.ENOSYS => nameof(Errno.ENOSYS),
        Errno.EINVAL => nameof(Errno.EINVAL),
        _ => string.Create(CultureInfo.InvariantCulture, $"errno {error}"),
    };

    private static nint Bind(nint page, int policy)
    {
        const int Words = 16;
        var nodes = stackalloc ulong[Words];
        new Span<ulong>(nodes, Words).Clear();
        nodes[Node / 64] = 1UL << (Node % 64);
        return SystemCall(s_isArm64 ? 235 : 237, page, (nint)PageSize, policy, (nint)nodes, (Words * 64) + 1, 0);
    }

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint Map(nint address, nuint size, int protection, int flags, int file, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int Unmap(nint address, nuint size);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    private static partial int Advise(nint address, nuint size, int advice);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(nint number, nint first, nint second, nint third, nint fourth, nint fifth, nint sixth);
}
