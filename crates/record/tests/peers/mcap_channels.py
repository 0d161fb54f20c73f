"""Prints what the `mcap` library and its ROS 2 decoder find in a file, as JSON.

Every number of 64 bits is printed by its bytes, so that the comparison is of bits and not of digits.
"""

import hashlib
import json
import struct
import sys

from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory


def bits(values):
    return [struct.pack("<d", value).hex() for value in values]


def xyz(point):
    return [point.x, point.y, point.z]


def wxyz(quaternion):
    return [quaternion.w, quaternion.x, quaternion.y, quaternion.z]


def nanoseconds(stamp):
    return stamp.sec * 1_000_000_000 + stamp.nanosec


def transforms(message):
    for each in message.transforms:
        assert each.header.frame_id == "world"
        place = xyz(each.transform.translation) + wxyz(each.transform.rotation)
        yield [nanoseconds(each.header.stamp), each.child_frame_id, bits(place)]


def joint_state(message):
    names = list(message.name)
    yield [nanoseconds(message.header.stamp), names, bits(message.position), bits(message.velocity), bits(message.effort)]


def instant(message):
    lists = [message.q, message.v, message.effort, message.pose, message.twist, message.gap, message.signal]
    yield [bits([message.time])] + [bits(each) for each in lists]


def contact(message):
    numbers = [message.time, *xyz(message.point), *xyz(message.normal), message.gap, *xyz(message.impulse)]
    yield [message.name_a, message.name_b, message.body_a, message.body_b, bits(numbers)]


def event(message):
    numbers = [message.time, message.time_error, message.normal_speed, message.tangential_speed]
    numbers += [message.normal_impulse, message.tangential_impulse, message.gap]
    yield [message.substep, message.pair, message.ordinal, message.kind, bits(numbers)]


def log(message):
    yield [nanoseconds(message.stamp), message.level, message.name, message.msg]


def markers(message):
    for each in message.markers:
        assert each.frame_locked and each.action == 0 and each.color.a == 1.0
        pose = xyz(each.pose.position) + wxyz(each.pose.orientation)
        yield [each.header.frame_id, each.ns, each.type, bits(pose), bits(xyz(each.scale)), len(each.points)]


def points(message):
    fields = [[field.name, field.offset, field.datatype, field.count] for field in message.fields]
    assert fields == [["x", 0, 7, 1], ["y", 4, 7, 1], ["z", 8, 7, 1]] and message.is_dense and not message.is_bigendian
    assert message.height == 1 and message.point_step == 12 and message.row_step == 12 * message.width == len(message.data)
    yield [message.header.frame_id, list(struct.iter_unpack("<3f", bytes(message.data)))]


def number(message):
    yield bits([message.data])


READERS = {
    "tf2_msgs/msg/TFMessage": transforms,
    "sensor_msgs/msg/JointState": joint_state,
    "veracity_msgs/msg/Instant": instant,
    "veracity_msgs/msg/Contact": contact,
    "veracity_msgs/msg/Event": event,
    "rcl_interfaces/msg/Log": log,
    "visualization_msgs/msg/MarkerArray": markers,
    "sensor_msgs/msg/PointCloud2": points,
    "std_msgs/msg/Float64": number,
}

with open(sys.argv[1], "rb") as file:
    reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
    channels, times = {}, {}
    for schema, channel, message, decoded in reader.iter_decoded_messages(log_time_order=False):
        assert (schema.encoding, channel.message_encoding) == ("ros2msg", "cdr")
        assert message.log_time == message.publish_time
        channels.setdefault(channel.topic, []).extend(READERS[schema.name](decoded))
        times.setdefault(channel.topic, []).append(message.log_time)
    answer = {
        "profile": reader.get_header().profile,
        "channels": channels,
        "times": times,
        "metadata": {each.name: each.metadata for each in reader.iter_metadata()},
        "attachments": {each.name: hashlib.sha256(each.data).hexdigest() for each in reader.iter_attachments()},
    }
    json.dump(answer, sys.stdout)
