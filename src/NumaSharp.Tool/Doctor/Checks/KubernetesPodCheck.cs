using NumaSharp.Tool.Machine;

namespace NumaSharp.Tool.Doctor.Checks;

/// <summary>Whether this is a pod, and in the class that gets exclusive CPUs.</summary>
internal sealed class KubernetesPodCheck() : DoctorCheck("kubernetes-pod")
{
    public override IEnumerable<Finding> Examine(CheckContext context)
    {
        if (context.Pod is { IsPod: false })
        {
            yield return Found(
                Severity.Error,
                $"This is not a container of a pod: no kubelet made its cgroup, and {PodCgroup.Variable} is not set.",
                "Run it where the application runs (kubectl exec POD -- numasharp doctor --kubernetes), or omit "
                + "--kubernetes.",
                context.File("proc/self/cgroup"));
        }

        if (context.Pod is { Class: PodClass.Burstable or PodClass.BestEffort } pod)
        {
            yield return Found(
                Severity.Warning,
                $"The pod's class is {pod.Class}: the kubelet gives exclusive CPUs, and CPUs of one node, only to class "
                + "Guaranteed.",
                "Set requests equal to limits for cpu and memory of every container, and cpu to a whole number.",
                context.File("proc/self/cgroup"));
        }
    }
}
