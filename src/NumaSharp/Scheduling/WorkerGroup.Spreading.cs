using NumaSharp.Core;

namespace NumaSharp.Scheduling;

// Where the group's workers last ran.
internal sealed partial class WorkerGroup
{
    public bool IsLastCpuOfOthers(int cpu, int below)
    {
        foreach (var worker in Workers[..Math.Min(below, Workers.Length)])
        {
            if (worker?.LastCpu == cpu)
            {
                return true;
            }
        }

        return false;
    }

    public CpuSet LastCpusBelow(int slot) => CpuSet.FromIds(
        Workers[..Math.Min(slot, Workers.Length)].ToArray()
            .Select(static worker => worker?.LastCpu ?? -1).Where(static cpu => cpu >= 0));
}
